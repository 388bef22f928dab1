/* An exchange that comes in: all of it is staged beside the tree, then judged, then moved in. */
#ifndef CLAWRDEN_CARRIER_RECEIVE_H
#define CLAWRDEN_CARRIER_RECEIVE_H

#include "exchange.h"
#include "reader.h"

void receive_begin(struct carrier *carrier, struct reader *reader);
void receive_entry(struct carrier *carrier, const struct frame *frame);
void receive_chunk(struct carrier *carrier, struct reader *reader);

/* NULL, or why the other side must not say this: the exchange then fails at its `verify`. */
const char *receive_wrong(struct carrier *carrier, const struct change *change);

/* An entry that is well formed becomes part of the exchange. NULL if something went wrong. */
struct op *receive_change(struct carrier *carrier, const struct change *change);

/* Of everything here that the other side did not name: it goes. Of what is gone here, too: the other side has none. */
bool receive_unnamed(struct carrier *carrier);

/* Another name whose first is not here becomes a file of its own, with bytes to come. */
void receive_as_file(struct carrier *carrier, struct op *op);

#endif
