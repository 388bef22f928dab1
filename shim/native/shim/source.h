#ifndef CLAWRDEN_SOURCE_H
#define CLAWRDEN_SOURCE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "caller.h"

/*
 * This process's stdin, which whoever runs next may want to read on: the tool reads far away, so bytes are sent
 * before it is known whether it will read them. A file is read without its offset, which is moved instead of taking out;
 * a pipe is looked at by tee(2) and a socket by MSG_PEEK, and bytes are taken out only when the tool is known to have
 * read them, which every credit beyond STDIN_WINDOW says. Only terminals cannot be looked at: what was sent is lost.
 */
struct source {
    int fd;
    enum caller_stdio kind;
    /* Where a file stood. */
    off_t origin;
    /* Bytes that may be sent in all, were sent, and were taken out for good. */
    uint64_t granted, sent, taken;
    /* The last credit was one of 0: all that the tool has read was told by credits. */
    bool exact;
    /* Its end was reached; it is of no more use. */
    bool ended;
    bool enlarged;
    /* A pipe's copy, and what tells that more has come to a pipe or socket that is not empty anyway. */
    int copy_out, copy_in, watch;
};

void source_open(struct source *source, enum caller_stdio kind);

void source_grant(struct source *source, uint32_t more);

/* True where bytes, or the end, may be sent as soon as they are there. */
bool source_wanted(const struct source *source);

/* What to poll for after source_read() had nothing; and a `timeout` in ms, or -1. */
struct pollfd source_poll(const struct source *source, int *timeout);

enum { SOURCE_NOTHING = -1 };

/* Up to `length` bytes not seen before, as far as credit goes; 0 at the end; SOURCE_NOTHING where none are there. */
ssize_t source_read(struct source *source, void *bytes, size_t length);

/* Takes out what the tool has read: `unread` of the bytes sent were not, where the credits have not told already. */
void source_settle(struct source *source, uint32_t unread);

/* Takes out what is known by now, and closes it: nobody reads the tool's stdin any more. */
void source_close(struct source *source);

#endif
