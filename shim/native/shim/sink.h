#ifndef CLAWRDEN_SINK_H
#define CLAWRDEN_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "caller.h"

/* One of this process's outputs, which other processes share: the shim writes it without blocking and without
 * O_NONBLOCK. */
struct sink {
    int fd;
    enum caller_stdio kind;
    /* It has no reader, cannot be written, or was never open: bytes for it are dropped. */
    bool gone;
    /* Why bytes that somebody would have read are lost: the errno of the first write that failed; 0 if none did. */
    int failed;
};

void sink_open(struct sink *sink, int fd, enum caller_stdio kind);

/* The bytes written; 0 if the write would block (poll for POLLOUT); all of them if it is gone. */
size_t sink_write(struct sink *sink, const void *bytes, size_t length);

#endif
