#ifndef CLAWRDEN_FEED_H
#define CLAWRDEN_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outbox.h"
#include "wire.h"

/* The tool's stdin. The sender gets credit for STDIN_WINDOW bytes more than the tool has read. So for the sender:
 * read by the tool ≥ granted - STDIN_WINDOW, and exactly that after a credit of 0. */
struct feed {
    /* Where the init writes it; -1 when that is over. */
    int fd;
    /* Shows how much is unread in the pipe after `fd` was closed at the end of the input; -1 if it is not open. */
    int probe;
    bool pipe, ended;
    uint64_t granted, received, written, read;
    /* When to look again, the interval before that, and what was seen then. */
    int64_t tick_at;
    int tick_ms;
    uint64_t seen;
    size_t start, end;
    uint8_t buffer[STDIN_WINDOW];
};

/* `fd` is non-blocking: a pipe, a terminal's master, or -1. Grants the first credit. */
void feed_open(struct feed *feed, int fd, bool pipe, struct outbox *outbox);

/* False if the sender has no credit for it. */
bool feed_accept(struct feed *feed, const uint8_t *bytes, size_t length);

/* The sender's stdin has ended; the tool's ends after the bytes that are still held. */
void feed_end(struct feed *feed);

static inline bool feed_waiting(const struct feed *feed)
{
    return feed->fd >= 0 && feed->start < feed->end;
}

/* Continues to write, and grants what the tool has read. The next call is due at `tick_at` (0: only on events). */
void feed_step(struct feed *feed, struct outbox *outbox, int64_t now);

/* The tool's reader is gone for good. */
void feed_close(struct feed *feed, struct outbox *outbox);

/* Nothing more is written, and nothing is told of it. */
void feed_shut(struct feed *feed);

/* When no process of the tool is left: tells the sender all that it needs to know about its input. */
void feed_settle(struct feed *feed, struct outbox *outbox);

#endif
