#ifndef CLAWRDEN_CARRIER_JAIL_PLACE_H
#define CLAWRDEN_CARRIER_JAIL_PLACE_H

#include "words.h"

/* What a table of mounts says of a mount point: which folder of which device is there. False if it does not say. */
bool place_read(int mounts, const char *point, uint8_t id[SHA256_BYTES]);

#endif
