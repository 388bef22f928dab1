/* What a replica has that the other side has not. */
#ifndef CLAWRDEN_CARRIER_DIRTY_H
#define CLAWRDEN_CARRIER_DIRTY_H

#include "index.h"

/* How many entries differ from what the other side had. */
uint64_t dirty_count(struct index *index);

/* The other side has all of it now, but what was unstable. */
void dirty_acknowledge(struct index *index);

/* The other side had `record` of this entry. */
void dirty_base(struct index *index, struct entry *entry, const struct record *record);

/* It is left behind where the other side deleted: the other side has nothing there, and there is nothing to tell. */
void dirty_left(struct index *index, struct entry *entry);

/* Folders that changed and are again what the other side has count as such, with all that is in them. */
void dirty_clean(struct index *index);

#endif
