/* Takes all out of a replica's tree, however deep it is: engines need a descriptor for each level to remove a volume. */
#ifndef CLAWRDEN_CARRIER_CLEAR_H
#define CLAWRDEN_CARRIER_CLEAR_H

#include "carrier.h"

/* Nobody works in the tree any more, and after it the replica can only be removed. */
void serve_clear(struct carrier *carrier, struct reader *reader);

#endif
