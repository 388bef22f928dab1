/* Versions are numbers of an epoch. Each run of a home's carrier that makes a version begins an epoch: of a home that was
 * restored from a copy, no version is one that was made after the copy, though both count on from the same number. */
#ifndef CLAWRDEN_CARRIER_EPOCHS_H
#define CLAWRDEN_CARRIER_EPOCHS_H

#include "index.h"

/* The index is of an earlier run, to the last version that it told: that epoch holds until a version is made. */
void epochs_take_up(struct index *index, uint64_t epoch, bool replica);

/* Before a version is made. */
void epochs_before_next(struct index *index);

/* Whether what this tree was at that version is known, but for what was gone before it. */
bool epochs_know(const struct index *index, uint64_t epoch, uint64_t seq);

#endif
