/* A client takes silence for death: what works long says that it works. */
#ifndef CLAWRDEN_CARRIER_GOES_ON_H
#define CLAWRDEN_CARRIER_GOES_ON_H

#include "carrier.h"

/* What was asked begins or ends here. */
void goes_on_begin(struct carrier *carrier);
void goes_on_end(struct carrier *carrier);

/* A `struct carrier`: a step of its work is done. Every 5 s that is said, if somebody waits for the end. */
void goes_on(void *carrier);

#endif
