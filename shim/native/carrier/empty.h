#ifndef CLAWRDEN_CARRIER_EMPTY_H
#define CLAWRDEN_CARRIER_EMPTY_H

#include "exchange.h"

/* Of a folder what the other side knew of goes; it goes itself where that leaves it empty, and of a replica where only
 * devices, sockets and FIFOs are left, with these. */
void move_empty(struct carrier *carrier, struct op *op);

#endif
