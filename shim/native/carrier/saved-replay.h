/* What changed since the whole index was written. */
#ifndef CLAWRDEN_CARRIER_SAVED_REPLAY_H
#define CLAWRDEN_CARRIER_SAVED_REPLAY_H

#include "saved-reader.h"

/*
 * The parts of a log of `length` bytes, each if its checksum goes on from the one before, and the first from `checksum`. What
 * is behind the first that does not is of an earlier index, or was cut, and is left. The checksum becomes the last one's.
 * False if a part cannot be read.
 */
bool saved_replay(struct loading *loading, uint64_t length, uint8_t checksum[SHA256_BYTES]);

#endif
