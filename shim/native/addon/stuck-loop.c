#include "stuck-loop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { STUCK_MS = 50, LOOK_MS = 10, WAKE_MS = 1 };

static struct {
    pthread_t thread;
    _Atomic int64_t turned_ms;
    bool is_watched;
} loop;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void wake(int number)
{
    (void)number;
}

static void *watch(void *unused)
{
    for (;;) {
        bool is_stuck = now_ms() - atomic_load(&loop.turned_ms) > STUCK_MS;
        if (is_stuck)
            pthread_kill(loop.thread, SIGURG);
        nanosleep(&(struct timespec){ .tv_nsec = (is_stuck ? WAKE_MS : LOOK_MS) * 1000000L }, NULL);
    }
    return unused;
}

static int begin(void)
{
    struct sigaction action = { .sa_handler = wake, .sa_flags = SA_RESTART };
    pthread_t watcher;
    loop.thread = pthread_self();
    if (sigaction(SIGURG, &action, NULL) != 0)
        return errno;
    int error = pthread_create(&watcher, NULL, watch, NULL);
    if (error != 0)
        return error;
    loop.is_watched = true;
    return pthread_detach(watcher);
}

int loop_turned(void)
{
    atomic_store(&loop.turned_ms, now_ms());
    return loop.is_watched ? 0 : begin();
}
