#ifndef CLAWRDEN_CARRIER_SERVE_H
#define CLAWRDEN_CARRIER_SERVE_H

#include "carrier.h"

/* Does what a frame asks for. */
void serve(struct carrier *carrier, const struct frame *frame);

#endif
