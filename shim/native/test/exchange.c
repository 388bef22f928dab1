/* For tests: changes a file, or the target of its path, in one of many ways. `exchange HOW PATH OTHER MICROSECONDS
 * LINE` prints `ready`, waits for a line on stdin and then for the given time, acts, and prints `done`. OTHER
 * replaces PATH, or is another name of it; it writes LINE again and again. `mapped-again` has written to each byte before it
 * is ready. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char text[64 * 1024];
static size_t length;

static void must(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        exit(1);
    }
}

static void rewrite(const char *path, int flags)
{
    struct timespec pause = {0, 200000};
    int fd;
    while ((fd = open(path, flags | O_CREAT, 0644)) < 0 && errno == EWOULDBLOCK)
        nanosleep(&pause, NULL);
    must(fd, path);
    must(write(fd, text, length) == (ssize_t)length ? 0 : -1, "write");
    close(fd);
}

static char *map(const char *path)
{
    int fd = open(path, O_RDWR);
    must(fd, path);
    char *mapped = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(mapped == MAP_FAILED ? -1 : 0, "mmap");
    close(fd);
    return mapped;
}

static void put_in_place(const char *path, const char *other)
{
    char aside[4096];
    snprintf(aside, sizeof aside, "%s.aside", path);
    must(rename(path, aside), path);
    must(rename(other, path), other);
}

static void act(const char *how, const char *path, const char *other, char *mapped)
{
    if (strcmp(how, "write") == 0)
        rewrite(path, O_WRONLY);
    else if (strcmp(how, "impatient") == 0)
        rewrite(path, O_RDWR | O_NONBLOCK);
    else if (strcmp(how, "append") == 0)
        rewrite(path, O_WRONLY | O_APPEND);
    else if (strcmp(how, "empty") == 0)
        rewrite(path, O_WRONLY | O_TRUNC);
    else if (strcmp(how, "truncate") == 0)
        must(truncate(path, 9), path);
    else if (strcmp(how, "link") == 0)
        rewrite(other, O_WRONLY);
    else if (strncmp(how, "mapped", 6) == 0)
        memcpy(mapped, text, length);
    else if (strcmp(how, "rename") == 0)
        must(rename(other, path), path);
    else if (strcmp(how, "swap") == 0)
        must(renameat2(AT_FDCWD, other, AT_FDCWD, path, RENAME_EXCHANGE), path);
    else if (strcmp(how, "aside") == 0)
        put_in_place(path, other);
    else
        must(-1, how);
}

int main(int argc, char **argv)
{
    char line[8];
    if (argc != 6)
        return 2;
    length = strlen(argv[5]);
    for (size_t at = 0; at < sizeof text; at++)
        text[at] = argv[5][at % length];
    length = sizeof text / length * length / 2;
    char *mapped = strncmp(argv[1], "mapped", 6) == 0 ? map(argv[2]) : NULL;
    if (strcmp(argv[1], "mapped-again") == 0)
        memset(mapped, '.', length);
    must((int)write(1, "ready\n", 6), "stdout");
    if (!fgets(line, sizeof line, stdin))
        return 1;
    long wait = atol(argv[4]) * 1000;
    nanosleep(&(struct timespec){wait / 1000000000, wait % 1000000000}, NULL);
    act(argv[1], argv[2], argv[3], mapped);
    must((int)write(1, "done\n", 5), "stdout");
    return 0;
}
