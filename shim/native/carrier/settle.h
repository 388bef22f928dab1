#ifndef CLAWRDEN_CARRIER_SETTLE_H
#define CLAWRDEN_CARRIER_SETTLE_H

#include "carrier.h"

/* Brings the index to what the tree is now. With `all` everything is looked at, else what was told of. */
void settle(struct carrier *carrier, bool all);

/* Looks at what is queued. */
void settle_queue(struct carrier *carrier);

/* A batch of changes is complete: it becomes a version. */
void settle_version(struct carrier *carrier);

/* The tree that was there at the start is gone from its place, or another is in it. */
bool root_lost(const struct carrier *carrier);

#endif
