/* Entries by their watch. */
#ifndef CLAWRDEN_CARRIER_WATCHES_H
#define CLAWRDEN_CARRIER_WATCHES_H

#include "index.h"

/* Folders are fewer than entries. */
static inline size_t watch_buckets(size_t buckets)
{
    return buckets / 8;
}

/* -1 where it has none. */
int watch_of(const struct entry *entry);

struct entry *watches_find(const struct index *index, int watch);

/* False where it is no folder. */
bool watches_add(struct index *index, struct entry *entry, int watch);
void watches_remove(struct index *index, struct entry *entry);

/* Puts the entry into a table that was made anew. */
void watches_rehash(struct index *index, struct entry *entry);

#endif
