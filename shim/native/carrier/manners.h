/* What entries have in common (type, mode, owner, attributes), kept once while one of them has it. */
#ifndef CLAWRDEN_CARRIER_MANNERS_H
#define CLAWRDEN_CARRIER_MANNERS_H

#include "index.h"

bool manners_begin(struct index *index);

/* One more entry has it. NULL if memory is short. */
struct manner *manners_take(struct index *index, const struct record *record);

/* One entry less has it. Of NULL nothing happens. */
void manners_give(struct index *index, struct manner *manner);

#endif
