#ifndef CLAWRDEN_CARRIER_FORGET_H
#define CLAWRDEN_CARRIER_FORGET_H

#include "carrier.h"

/* What is gone is remembered for those who have an older version, but not without end: above as many as there may be
 * entries the older half is forgotten, and a replica with a version from before is compared in whole. */
void forget_gone(struct carrier *carrier);

#endif
