#ifndef CLAWRDEN_CARRIER_JAIL_AREA_H
#define CLAWRDEN_CARRIER_JAIL_AREA_H

#include "hello.h"

/* The carrier's folder as part of the mount `tree`, made for the agent if it is missing. NULL, or what is wrong:
 * `code: text`. */
const char *jail_area(int *area, int tree, const struct limits *limits);

#endif
