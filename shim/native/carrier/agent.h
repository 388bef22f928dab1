#ifndef CLAWRDEN_CARRIER_AGENT_H
#define CLAWRDEN_CARRIER_AGENT_H

#include "hello.h"

/* A carrier at home is what the agent is, and no more; one that is not root stays what it is. `strict`: every right must
 * be given up for good. NULL, or why it cannot be: `code: text`. */
const char *agent_become(const struct limits *limits, bool strict);

#endif
