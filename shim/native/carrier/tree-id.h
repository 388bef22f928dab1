#ifndef CLAWRDEN_CARRIER_TREE_ID_H
#define CLAWRDEN_CARRIER_TREE_ID_H

#include "index.h"

/* Brings the ids of all stale folders up to date; false where memory ended. */
bool tree_refresh(struct index *index);

/* The id of the whole tree, which must be fresh. */
void tree_id(const struct index *index, uint8_t id[SHA256_BYTES]);

/* The digest of an entry as its folder counts it. */
void record_digest(const struct entry *entry, uint8_t id[SHA256_BYTES]);

/* The living entries of a folder in the tree's order, to be freed; NULL where memory ended. With `gone` also those that are not. */
struct entry **children_in_order(const struct entry *folder, bool gone, size_t *count);

#endif
