#ifndef CLAWRDEN_ORDERS_H
#define CLAWRDEN_ORDERS_H

#include "run.h"

/* Reads what came on our stdin and obeys. Its end, or a frame against the rules, means that nobody we can talk to is
 * there any more: then this process ends with everything it started. */
void orders_take(struct run *run);

#endif
