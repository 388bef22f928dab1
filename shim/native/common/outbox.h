#ifndef CLAWRDEN_OUTBOX_H
#define CLAWRDEN_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* With its header it fills one pipe exactly, so that a whole chunk leaves in one write. */
    OUTBOX_CHUNK = 64 * 1024 - 5,
    OUTBOX_SMALL = 4096,
    OUTBOX_BYTES = 64 * 1024 + OUTBOX_SMALL,
};

/* Frames that leave on a non-blocking descriptor. Initialize with zeros and set `fd`. */
struct outbox {
    int fd;
    /* The reader is gone: new frames are dropped. */
    bool gone;
    size_t start, end;
    uint8_t bytes[OUTBOX_BYTES];
};

static inline bool outbox_empty(const struct outbox *outbox)
{
    return outbox->start == outbox->end;
}

/* Adds one frame after the others: a small one (≤ OUTBOX_SMALL in all), or the first. False if there is no room now.
 */
bool outbox_put(struct outbox *outbox, uint8_t type, const void *payload, size_t length);

/* Where the payload of the next chunk goes, OUTBOX_CHUNK bytes at most. Only while the outbox is empty. */
uint8_t *outbox_hole(struct outbox *outbox);

/* Makes a frame of the bytes in that place. */
void outbox_fill(struct outbox *outbox, uint8_t type, size_t length);

/* Writes as much as the descriptor takes; returns the bytes written. */
size_t outbox_flush(struct outbox *outbox);

#endif
