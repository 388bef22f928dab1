#ifndef CLAWRDEN_CLOCK_H
#define CLAWRDEN_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds that do not follow changes of the wall clock. */
static inline int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The timeout for poll() to wake at `deadline`: rounded up, never negative; 0 means never. */
static inline int poll_timeout(int64_t deadline)
{
    if (deadline == 0)
        return -1;
    int64_t left = deadline - clock_ms();
    if (left <= 0)
        return 0;
    return left > 3600000 ? 3600000 : (int)left;
}

/* The earlier of two deadlines; 0 means no deadline. */
static inline int64_t earlier(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

#endif
