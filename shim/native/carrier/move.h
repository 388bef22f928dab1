/* One op moved into the tree. Nothing that is there is overwritten unseen: it is swapped, and then looked at. */
#ifndef CLAWRDEN_CARRIER_MOVE_H
#define CLAWRDEN_CARRIER_MOVE_H

#include "exchange.h"

void move_delete(struct carrier *carrier, struct op *op);

/* A folder makes room for something else, or the reverse: before that, its content is removed piece by piece. */
void move_out_of_way(struct carrier *carrier, struct op *op);

/* New, or in place of another. */
void move_in(struct carrier *carrier, struct op *op);

/* Owner, mode, attributes and times of what stays. */
void move_meta(struct carrier *carrier, struct op *op);

#endif
