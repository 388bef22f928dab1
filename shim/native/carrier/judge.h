#ifndef CLAWRDEN_CARRIER_JUDGE_H
#define CLAWRDEN_CARRIER_JUDGE_H

#include "exchange.h"

/* Says of every op what is to be done, by what the tree is now. */
void judge_all(struct carrier *carrier);

/* What is there is what the change replaces. A folder is all that is in it. */
bool judge_known(const struct carrier *carrier, const struct entry *entry, const struct op *op);

/* Something in the folder differs from what the other side had. */
bool dirty_below(const struct entry *entry);

#endif
