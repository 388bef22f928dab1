#ifndef CLAWRDEN_CARRIER_TAKE_H
#define CLAWRDEN_CARRIER_TAKE_H

#include "carrier.h"
#include "reader.h"

/* A file, link or folder in kept/ becomes an entry of the exchange, as if it had come. It stays in kept/. */
void serve_take(struct carrier *carrier, struct reader *reader);

#endif
