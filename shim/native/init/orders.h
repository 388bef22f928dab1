#ifndef CLAWRDEN_ORDERS_H
#define CLAWRDEN_ORDERS_H

#include "run.h"

/* Reads frames from stdin and obeys. The end of stdin, or a frame against the rules, means that the gateway is gone:
 * then this process ends, with everything that it started. */
void orders_take(struct run *run);

/* The same for what has been read already. */
void orders_obey(struct run *run);

#endif
