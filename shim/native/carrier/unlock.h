/* Folders that their owner may not write in, while an exchange changes what is in them. */
#ifndef CLAWRDEN_CARRIER_UNLOCK_H
#define CLAWRDEN_CARRIER_UNLOCK_H

#include "carrier.h"

/* A carrier that is only the agent gives itself the owner's rights to the folders that the exchange changes. */
void unlock_folders(struct carrier *carrier);

/* They have the modes again that they had. */
void lock_folders(struct carrier *carrier);

#endif
