/* What a commit takes out of the tree is in the stage until its end. Before that it is listed there: if the carrier is
 * killed in between, the next one knows what was where. */
#ifndef CLAWRDEN_CARRIER_UNFINISHED_H
#define CLAWRDEN_CARRIER_UNFINISHED_H

#include "carrier.h"

/*
 * The list's name in the stage: something may be in the stage only, or all is moved and nobody was told yet.
 * u64 folder in kept/, u64 ops, n × (u64 op, u64 inode that is staged for it, id[32] of bytes that may go, text path,
 * text staged path), a checksum.
 */
#define UNFINISHED_MOVING "commit"
#define UNFINISHED_MOVED "moved"
enum { UNFINISHED_HEAD = 2 * 8 };

/* Lists what the commit may take out. False, with errno, if there is no room for that: nothing may be moved then. */
bool unfinished_begin(struct carrier *carrier);

/* All is moved, and what is to be kept is kept. */
void unfinished_moved(struct carrier *carrier);

/* The other side was told. */
void unfinished_told(struct carrier *carrier);

/* At a start, before the stage is removed: what was taken out goes back to its place. If that is another's by now, or if
 * it was swapped out and is not what may go, it is kept, and told as late. NULL, or why it cannot be. */
const char *unfinished_mend(struct carrier *carrier);

#endif
