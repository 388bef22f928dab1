#ifndef CLAWRDEN_CARRIER_READ_BYTES_H
#define CLAWRDEN_CARRIER_READ_BYTES_H

#include "carrier.h"
#include "reader.h"

/* Answers `read`: bytes of one file of the tree, or of what was kept. */
void serve_read(struct carrier *carrier, struct reader *reader);

#endif
