#ifndef CLAWRDEN_FEED_H
#define CLAWRDEN_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outbox.h"
#include "wire.h"

/* The tool's stdin. The sender is granted STDIN_WINDOW bytes ahead of what the tool has read, so for whoever sends:
 * read by the tool ≥ granted - STDIN_WINDOW, and exactly that once a credit of 0 has come. */
struct feed {
    /* Where it is written, -1 when that is over. */
    int fd;
    /* Still tells how much lies unread in the pipe after `fd` was closed at the end of the input; -1 without. */
    int probe;
    bool pipe, ended;
    uint64_t granted, received, written, read;
    /* When to look again, how long that was spaced, and what was seen then. */
    int64_t tick_at;
    int tick_ms;
    uint64_t seen;
    size_t start, end;
    uint8_t buffer[STDIN_WINDOW];
};

/* `fd` is non-blocking: a pipe, or a terminal's master, or -1. Grants the first credit. */
void feed_open(struct feed *feed, int fd, bool pipe, struct outbox *outbox);

/* False where the sender has no credit for it. */
bool feed_accept(struct feed *feed, const uint8_t *bytes, size_t length);

/* The sender's stdin has ended; the tool's ends behind what is held. */
void feed_end(struct feed *feed);

static inline bool feed_waiting(const struct feed *feed)
{
    return feed->fd >= 0 && feed->start < feed->end;
}

/* Writes on, and grants what was read since. The next call is due at `tick_at` (0: on events only). */
void feed_step(struct feed *feed, struct outbox *outbox, int64_t now);

/* The tool's reader is gone for good. */
void feed_close(struct feed *feed, struct outbox *outbox);

/* What the sender needs to know of the whole input, when nothing of the tool is left. */
void feed_settle(struct feed *feed, struct outbox *outbox);

#endif
