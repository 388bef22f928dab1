#ifndef CLAWRDEN_OUTBOX_H
#define CLAWRDEN_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* With its header one full pipe, so that a whole chunk leaves in one write. */
    OUTBOX_CHUNK = 64 * 1024 - 5,
    OUTBOX_SMALL = 4096,
    OUTBOX_BYTES = 64 * 1024 + OUTBOX_SMALL,
};

/* Frames leaving on a non-blocking descriptor. Start from zero with `fd` set. */
struct outbox {
    int fd;
    /* The reader is gone: what is put in vanishes. */
    bool gone;
    size_t start, end;
    uint8_t bytes[OUTBOX_BYTES];
};

static inline bool outbox_empty(const struct outbox *outbox)
{
    return outbox->start == outbox->end;
}

/* Puts one frame behind the others: small (≤ OUTBOX_SMALL in all), or the first. False where there is no room now. */
bool outbox_put(struct outbox *outbox, uint8_t type, const void *payload, size_t length);

/* Where the payload of the next chunk goes, OUTBOX_CHUNK bytes at most. Only while the outbox is empty. */
uint8_t *outbox_hole(struct outbox *outbox);

/* Makes a frame of what was put into the hole. */
void outbox_fill(struct outbox *outbox, uint8_t type, size_t length);

/* Writes what the descriptor takes; returns the bytes written. */
size_t outbox_flush(struct outbox *outbox);

#endif
