/* What is in a tree and is not carried, and why. */
#ifndef CLAWRDEN_CARRIER_SKIP_H
#define CLAWRDEN_CARRIER_SKIP_H

#include "carrier.h"

/* Of what the name shows alone. */
enum skip skip_why(const struct carrier *carrier, const struct entry *entry, const struct stat *status);

void skip_set(struct index *index, struct entry *entry, enum skip skip);

/* The kernel tells of a change at one name. Those that were skipped for their size are looked at again if a file of several
 * names changed: it may be theirs. */
void skip_queue_shrunk(struct index *index);

/* Whether a path that came over the stream may be in the tree at all. */
bool path_carried(const struct carrier *carrier, const char *path);

/* Puts u32 count of all, u16 count of those that follow: u8 why, text path. */
void skip_tell(struct carrier *carrier);

#endif
