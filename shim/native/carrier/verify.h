#ifndef CLAWRDEN_CARRIER_VERIFY_H
#define CLAWRDEN_CARRIER_VERIFY_H

#include "carrier.h"

/* Answers `verify`: what is still wanted, then `checked`. Nothing has been moved. */
void verify(struct carrier *carrier);

/* The exchange ends, and nothing of it was moved: that is the answer. */
void exchange_fail(struct carrier *carrier, const char *why);

#endif
