#ifndef CLAWRDEN_CARRIER_START_H
#define CLAWRDEN_CARRIER_START_H

#include "carrier.h"

/* Takes the hello: opens the tree, looks at all of it, and says that it is ready; or refuses. */
void start(struct carrier *carrier, const struct frame *hello);

#endif
