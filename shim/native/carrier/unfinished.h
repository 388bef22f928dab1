/* What a commit takes out of the tree is in the stage until its end. Before that it is listed there: if the carrier is
 * killed in between, the next one knows what was where. What is kept of it is untold until its client sends another frame:
 * an answer that was written may have no reader. */
#ifndef CLAWRDEN_CARRIER_UNFINISHED_H
#define CLAWRDEN_CARRIER_UNFINISHED_H

#include "carrier.h"

/*
 * The list's name in the stage, while something may be in the stage only; and in the area, while what is kept is untold.
 * u64 folder in kept/, u64 ops, n × (u64 op, text path, u8 whether another replaces it, and if so u64 inode that is
 * staged for it, id[32] of bytes that may go, text staged path), a checksum.
 */
#define UNFINISHED_MOVING "commit"
#define UNFINISHED_UNTOLD "untold"
enum { UNFINISHED_HEAD = 2 * 8 };

/* Lists what the commit may take out. False, with errno, if there is no room for that: nothing may be moved then. */
bool unfinished_begin(struct carrier *carrier);

/* All is moved, and what is to be kept is kept. */
void unfinished_moved(struct carrier *carrier);

/* Lists `path` as what is to be the first of this folder in kept/. False if there is no room for that. */
bool unfinished_untold(struct carrier *carrier, uint64_t folder, const char *path);

/* A frame came: who sends it has read what was told last. */
void unfinished_told(struct carrier *carrier);

/* At a start, before the stage is removed: what was taken out goes back to its place. If that is another's by now, or if
 * it was swapped out and is not what may go, it is kept. What is kept and untold is told as late. NULL, or why it cannot
 * be kept. */
const char *unfinished_mend(struct carrier *carrier);

#endif
