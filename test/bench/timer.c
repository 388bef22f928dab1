/* timer COUNT INTERVAL_MS CODE PROGRAM [ARG ...]
 * Runs PROGRAM one time after another, at most one every INTERVAL_MS, and prints for each the microseconds from its
 * spawn to its end. Ends with 1 if one ends with another status than CODE. Output of the programs goes to /dev/null. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void sleep_until(int64_t us) {
  struct timespec until = {us / 1000000, us % 1000000 * 1000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  int count = atoi(argv[1]), interval_ms = atoi(argv[2]), code = atoi(argv[3]);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  int64_t next = now_us();
  for (int i = 0; i < count; i++) {
    sleep_until(next);
    int64_t start = now_us();
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, argv[4], &quiet, NULL, argv + 4, environ) != 0) return 1;
    waitpid(pid, &status, 0);
    int64_t end = now_us();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code) {
      fprintf(stderr, "timer: status %d instead of exit %d\n", status, code);
      return 1;
    }
    printf("%lld\n", (long long)(end - start));
    next = next + interval_ms * 1000 > end ? next + interval_ms * 1000 : end;
  }
  return 0;
}
