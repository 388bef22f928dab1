#ifndef CLAWRDEN_CARRIER_APPLIED_H
#define CLAWRDEN_CARRIER_APPLIED_H

#include "carrier.h"

/* Brings the index to what was moved, makes it a version, and says so. */
void tell_applied(struct carrier *carrier);

#endif
