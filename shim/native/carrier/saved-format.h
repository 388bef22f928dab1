/* Two files: `index`, all of it at one time, and `index.log`, what changed since, a part for each time that it was saved. */
#ifndef CLAWRDEN_CARRIER_SAVED_FORMAT_H
#define CLAWRDEN_CARRIER_SAVED_FORMAT_H

#include <stdio.h>

#include "wire.h"
#include "words.h"

#define SAVED_MAGIC "clawrden-index-4"
#define SAVED_LOG "index.log"

enum {
    SAVED_END = 0,
    SAVED_ENTRY = 1,
    SAVED_BASE = 2,
    SAVED_BLOCKS = 4,
    SAVED_UNREADABLE = 8,
    SAVED_UNSTABLE = 16,
    SAVED_BELIEVED = 32,
    /* Of a part of the log, alone: the entry is not known any more. */
    SAVED_FORGOTTEN = 64,
    /* With SAVED_ENTRY. */
    SAVED_LEFT = SAVED_FORGOTTEN,
    SAVED_MISSED = 128,
};

/* Epoch, version, floor, home's version (2), the guard, the device, how many former epochs follow. */
enum { SAVED_NUMBERS = 8 * 8, SAVED_FORMER = 2 * 8 };

enum { STATE_MOST = 80 };

/* What the file `state` says if the index of this version, and the log up to this checksum, are the last word. */
static inline void state_clean(char state[STATE_MOST], uint64_t epoch, uint64_t seq, const uint8_t checksum[SHA256_BYTES])
{
    snprintf(state, STATE_MOST, "clean %llx %llu %llx\n", (unsigned long long)epoch, (unsigned long long)seq,
             (unsigned long long)get_u64(checksum));
}

#endif
