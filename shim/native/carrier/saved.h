/* The index on the disk. It is written whole and checksummed; the file `state` says whether it is the last word. */
#ifndef CLAWRDEN_CARRIER_SAVED_H
#define CLAWRDEN_CARRIER_SAVED_H

#include "carrier.h"

/* Takes up what an earlier run knew. Each entry is believed only if its inode says so. */
void saved_load(struct carrier *carrier);

/* Writes it, where something is unsaved. */
void saved_write(struct carrier *carrier);

/* Before the first change: what is on the disk is not the last word any more. */
void saved_open(struct carrier *carrier);

#endif
