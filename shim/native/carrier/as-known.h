#ifndef CLAWRDEN_CARRIER_AS_KNOWN_H
#define CLAWRDEN_CARRIER_AS_KNOWN_H

#include "carrier.h"

/* Whether what was just taken out of the tree is what the index says was there. Its own ctime is the taking's. */
bool as_known(struct carrier *carrier, const struct entry *entry, int folder, const char *name);

/* A device, a socket or a FIFO. */
bool is_special(int folder, const char *name);

#endif
