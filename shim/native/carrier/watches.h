/* Entries by their watch. */
#ifndef CLAWRDEN_CARRIER_WATCHES_H
#define CLAWRDEN_CARRIER_WATCHES_H

#include "index.h"

struct entry *watches_find(const struct index *index, int watch);
void watches_add(struct index *index, struct entry *entry, int watch);
void watches_remove(struct index *index, struct entry *entry);

/* Puts the entry into a table that was made anew. */
void watches_rehash(struct index *index, struct entry *entry);

#endif
