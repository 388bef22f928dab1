/* Writes down the path of what is taken out of memory, until the index is saved. */
#ifndef CLAWRDEN_CARRIER_FORGOTTEN_H
#define CLAWRDEN_CARRIER_FORGOTTEN_H

#include "index.h"

/* All of the index must be saved if there is no room for the path. */
void forgotten_add(struct index *index, const struct entry *entry);

#endif
