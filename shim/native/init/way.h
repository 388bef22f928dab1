#ifndef CLAWRDEN_WAY_H
#define CLAWRDEN_WAY_H

#include <string.h>

/* The path in /proc of the file behind a descriptor. */
struct way {
    char path[32];
};

static inline struct way way_to(int fd)
{
    struct way way = {"/proc/self/fd/"};
    char digits[12], *at = digits + sizeof digits - 1;
    *at = 0;
    do
        *--at = (char)('0' + fd % 10);
    while ((fd /= 10) > 0);
    strcat(way.path, at);
    return way;
}

#endif
