/* Every ten minutes, when nothing is asked, all of the tree is looked at. It must find nothing that was not told. */
#ifndef CLAWRDEN_CARRIER_BACKGROUND_H
#define CLAWRDEN_CARRIER_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

struct carrier;

struct background {
    /* Milliseconds of the monotonic clock; 0 before the start. */
    int64_t due;
    /* A replica has sent changes, which will be acknowledged as they are now. */
    bool sent;
    uint32_t looks;
    /* Entries that a look found to be others than the index said, and that nothing had told of. */
    uint64_t missed;
};

/* The first is due from now on. */
void background_begin(struct carrier *carrier);

/* Something was asked: not in the middle of it. */
void background_postpone(struct carrier *carrier);

/* Milliseconds until the next is due, -1 if none is. */
int background_wait_ms(const struct carrier *carrier);

/* Looks, if that is due. */
void background_run(struct carrier *carrier);

/* Looks now, which is a settle, too. What is found is in the index then. */
void background_look(struct carrier *carrier);

#endif
