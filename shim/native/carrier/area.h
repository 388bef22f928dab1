/* The folder for what is ours: stage/ for what comes in, kept/ for what was not taken, untold for what of
 * it nobody may have heard, index and state. */
#ifndef CLAWRDEN_CARRIER_AREA_H
#define CLAWRDEN_CARRIER_AREA_H

#include "carrier.h"

/* An empty stage; -1 where it cannot be made. */
int area_stage(struct carrier *carrier);

/* Takes away all that is in a folder of the area, and it. */
void area_remove(struct carrier *carrier, const char *name);

/* No link in it leads to files of the host. The area of a carrier without a jail may be where the agent writes, and all files of
 * the same user are in its reach. */
bool area_shut(const struct carrier *carrier);

/* The folder of this name in another, made if it is missing; -1 if it cannot be. */
int area_made(int folder, const char *name);

#endif
