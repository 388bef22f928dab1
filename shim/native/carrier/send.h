/* Says what changed. */
#ifndef CLAWRDEN_CARRIER_SEND_H
#define CLAWRDEN_CARRIER_SEND_H

#include "carrier.h"
#include "reader.h"

/* Answers `changes`: entries and their bytes, then `done`. */
void send_changes(struct carrier *carrier, struct reader *reader);

/* Answers `want`: blocks of one file, then `done`. */
void send_wanted(struct carrier *carrier, struct reader *reader);

#endif
