#ifndef CLAWRDEN_CARRIER_COMMIT_H
#define CLAWRDEN_CARRIER_COMMIT_H

#include "carrier.h"

/* Answers `commit`: moves what was checked into the tree, and says `applied`. */
void commit(struct carrier *carrier);

#endif
