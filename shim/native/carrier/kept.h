/* kept/ of the area: what was not taken, and what was written too late. Nothing else has it, so it stays for long. */
#ifndef CLAWRDEN_CARRIER_KEPT_H
#define CLAWRDEN_CARRIER_KEPT_H

#include "carrier.h"

/* A new folder of kept/, and its number, which is the time. -1 if it cannot be made. */
int kept_open(struct carrier *carrier, uint64_t *number);

/* The one with this number, made if it is missing; -1 if it cannot be. */
int kept_at(struct carrier *carrier, uint64_t number);

/* Takes away one folder of kept/. */
void kept_remove(struct carrier *carrier, uint64_t number);

/* Takes away what is too old, and the oldest while all of it is too much, but never the newest for that. */
void kept_bound(struct carrier *carrier);

#endif
