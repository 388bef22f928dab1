/* The index on the disk: whole, and a log of what changed since. Both are checksummed; the file `state` says whether they
 * are the last word. */
#ifndef CLAWRDEN_CARRIER_SAVED_H
#define CLAWRDEN_CARRIER_SAVED_H

#include "carrier.h"

/* Takes up what an earlier run knew. Each entry is believed only if its inode says so. */
void saved_load(struct carrier *carrier);

/* Writes what is unsaved. */
void saved_write(struct carrier *carrier);

/* The same behind an answer: what would take long is left for when nothing is asked. */
void saved_write_behind(struct carrier *carrier);

/* Before the first change: what is on the disk is not the last word any more. */
void saved_open(struct carrier *carrier);

#endif
