/* What is in a tree and is not carried, and why. */
#ifndef CLAWRDEN_CARRIER_SKIP_H
#define CLAWRDEN_CARRIER_SKIP_H

#include "carrier.h"

/* Of what the name shows alone; `most` is that of `skip_most`. */
enum skip skip_why(const struct carrier *carrier, const struct entry *entry, const struct stat *status, uint64_t most);

/* Of a file's size alone. */
enum skip skip_for_size(const struct carrier *carrier, uint64_t size, uint64_t most);

/* Something that a tool made of what home has, or made new, cannot be carried: home would be told that it is gone, or
 * nothing. What the rules leave out in any case does not count: devices, or new files above the limit. */
bool skip_holds_back(struct carrier *carrier);

/* NULL, or why the other side may not be told what is here: `code: text`. All that is in the way is looked at again. */
const char *skip_wrong(struct carrier *carrier);

/* The same of one entry that cannot be read. */
const char *skip_unread(const struct carrier *carrier, const struct entry *entry);

void skip_set(struct index *index, struct entry *entry, enum skip skip);

/* The largest file that may be at this name. Of all that are larger than a block, home's have `limits.bytes` together: the
 * ids of their blocks are in memory, and a file without bytes may be as large, and have as many names, as anybody likes.
 * What is there already does not have to go. A replica takes what a tool made: home says what is too much of it. */
uint64_t skip_most(const struct carrier *carrier, const struct entry *entry);

/* A name that is not carried takes memory, too: of very many the others are looked at and forgotten again. */
void skip_bound(struct carrier *carrier, struct entry *entry);

/* The kernel tells of a change at one name. Those that were skipped for their size are looked at again if a file of several
 * names changed: it may be theirs. So are those that found no room, if there is less than before. */
void skip_queue_again(struct carrier *carrier);

/* Whether a path that came over the stream may be in the tree at all. */
bool path_carried(const struct carrier *carrier, const char *path);

/* Puts u32 count of all, u16 count of those that follow: u8 why, text path. */
void skip_tell(struct carrier *carrier);

#endif
