/* What a carrier says of itself. */
#ifndef CLAWRDEN_CARRIER_STATE_FRAMES_H
#define CLAWRDEN_CARRIER_STATE_FRAMES_H

#include "carrier.h"

/* `ready` or `state`; of the tree as it was at the last settle. */
void tell_state(struct carrier *carrier, uint8_t type);

/* The operation did not happen; `why` is `code: text`. */
void tell_failed(struct carrier *carrier, const char *why);

/* The same, and the carrier ends. */
void tell_refused(struct carrier *carrier, const char *why);

/* Puts the id of the tree. */
void put_tree(struct carrier *carrier);

/* The end of an answer: so many entries or files were sent, and so many were unstable. */
void put_done(struct carrier *carrier, uint32_t count, uint32_t unstable_count);

/* NULL, or why the index cannot be believed or sent: `code: text`. */
const char *state_wrong(const struct carrier *carrier);

#endif
