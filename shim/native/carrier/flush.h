#ifndef CLAWRDEN_CARRIER_FLUSH_H
#define CLAWRDEN_CARRIER_FLUSH_H

#include "exchange.h"

/* The disk begins to write a staged file that will take the place of another. */
void flush_begin(const struct carrier *carrier, const struct op *op, int fd);

/* Few replacements are on the disk before the first is moved in: after a power cut each file is before or after, not
 * empty. False if the disk did not take one. */
bool flush_replacements(struct carrier *carrier);

#endif
