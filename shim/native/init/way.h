#ifndef CLAWRDEN_WAY_H
#define CLAWRDEN_WAY_H

#include <string.h>

#include "digits.h"

/* The path in /proc of the file behind a descriptor. */
struct way {
    char path[40];
};

static inline struct way way_to(int fd)
{
    struct way way = {"/proc/self/fd/"};
    struct digits digits;
    strcat(way.path, digits_of(&digits, (unsigned long)fd));
    return way;
}

#endif
