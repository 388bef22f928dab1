#ifndef CLAWRDEN_SINK_H
#define CLAWRDEN_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "caller.h"

/* One of this process's outputs, which others share: it is written without ever waiting and without O_NONBLOCK. */
struct sink {
    int fd;
    enum caller_stdio kind;
    /* Nobody reads it, or it was never open: what comes for it is dropped. */
    bool gone;
};

void sink_open(struct sink *sink, int fd, enum caller_stdio kind);

/* The bytes that went; 0 where it would have to wait (poll for POLLOUT); all of them where nobody reads. */
size_t sink_write(struct sink *sink, const void *bytes, size_t length);

#endif
