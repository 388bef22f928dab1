/* Live mode: the client asks to be told as soon as something changes, at most once in each interval. */
#ifndef CLAWRDEN_CARRIER_FOLLOW_H
#define CLAWRDEN_CARRIER_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

struct carrier;
struct reader;

struct follow {
    /* The client waits for `changed`, and does not ask for anything else. */
    bool active;
    uint32_t interval_ms;
    /* Milliseconds of the monotonic clock: since when it waits, and when it may be told next. */
    int64_t since, next;
    /* The version that the client was last told of. */
    uint64_t told;
};

/* An interval of 0: the client waits no more. */
void follow_serve(struct carrier *carrier, struct reader *reader);

/* The client is told of the version that the index has. */
void follow_told(struct carrier *carrier);

/* Milliseconds until there may be something to tell, -1 if only a change can bring that about. */
int follow_wait_ms(const struct carrier *carrier);

/* Tells, if there is something to tell. */
void follow_run(struct carrier *carrier);

#endif
