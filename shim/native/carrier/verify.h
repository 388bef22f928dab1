#ifndef CLAWRDEN_CARRIER_VERIFY_H
#define CLAWRDEN_CARRIER_VERIFY_H

#include "carrier.h"

/* Answers `verify`: what is still wanted, then `checked`. Nothing has been moved. */
void verify(struct carrier *carrier);

#endif
