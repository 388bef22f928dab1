/* The folder for what is ours: stage/ for what comes in, kept/ for what was not taken, index and state. */
#ifndef CLAWRDEN_CARRIER_AREA_H
#define CLAWRDEN_CARRIER_AREA_H

#include "carrier.h"

/* An empty stage; -1 where it cannot be made. */
int area_stage(struct carrier *carrier);

/* Takes away all that is in a folder of the area, and it. */
void area_remove(struct carrier *carrier, const char *name);

/* The folder of this name in another, made if it is missing; -1 if it cannot be. */
int area_made(int folder, const char *name);

#endif
