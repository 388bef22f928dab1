#ifndef CLAWRDEN_SOURCE_H
#define CLAWRDEN_SOURCE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "caller.h"

/* This process's stdin, which the next program may want to read on. The tool reads far away, so bytes are sent before
 * it is known whether it will read them. A file is read without moving its offset, and the offset is moved later. A
 * pipe is read with tee(2) and a socket with MSG_PEEK; bytes are removed only when the tool is known to have read
 * them, which every credit beyond STDIN_WINDOW says. Only a terminal cannot be read ahead: its sent bytes are lost.
 */
struct source {
    int fd;
    enum caller_stdio kind;
    /* The offset at which a file was. */
    off_t origin;
    /* Bytes that may be sent in all, that were sent, and that were removed for good. */
    uint64_t granted, sent, taken;
    /* Of the sent bytes those that the tool has read, once it has ended. */
    uint64_t read;
    /* The last credit was 0: credits have reported all that the tool has read. */
    bool exact;
    /* Its end was reached; it is not used any more. */
    bool ended;
    /* There was no end, but a read failed: its errno. */
    int failed;
    /* Behind the last bytes of a socket is an error, which is the next reader's unless the tool came to it. */
    bool error_waits;
    /* It is this process's stdout, too: a socket on which a tool may answer and read nothing. */
    bool two_way;
    bool enlarged;
    /* The copy of a pipe, and a descriptor that reports new bytes in a pipe or socket that is not empty. */
    int copy_out, copy_in, watch;
};

void source_open(struct source *source, enum caller_stdio kind);

void source_grant(struct source *source, uint32_t more);

/* True if bytes, or the end, may be sent as soon as they are there. */
bool source_wanted(const struct source *source);

/* What to poll for after source_read() had nothing; and a `timeout` in ms, or -1. */
struct pollfd source_poll(const struct source *source, int *timeout);

enum { SOURCE_NOTHING = -1 };

/* Up to `length` new bytes, as far as credit allows; 0 at the end; SOURCE_NOTHING if there are none. */
ssize_t source_read(struct source *source, void *bytes, size_t length);

/* Removes what the tool has read: all sent bytes except `unread`, unless credits have already said more. */
void source_settle(struct source *source, uint32_t unread);

/* 0, or the errno of the read that failed, if the tool had read all that came before: it took that for the end. */
int source_lost(const struct source *source);

/* Removes what is known by now, and closes it: no process reads the tool's stdin any more. */
void source_close(struct source *source);

#endif
