/* Mass deletion never travels unseen: a disk that is not there looks like an agent that deleted everything. */
#ifndef CLAWRDEN_CARRIER_GUARD_H
#define CLAWRDEN_CARRIER_GUARD_H

#include "exchange.h"

/* Most of home is gone since it was last sent or trusted, and no command took it away. */
bool guard_suspects(const struct carrier *carrier);

/* What is at home now is meant, after a restart, too. */
void guard_trust(struct carrier *carrier);

/* What a whole tree does not name is most of what is here, and nobody said that it is meant. */
bool guard_refuses(const struct carrier *carrier);

#endif
