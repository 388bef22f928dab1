#ifndef CLAWRDEN_USAGE_H
#define CLAWRDEN_USAGE_H

#include <stdint.h>

enum { USAGE_BYTES = 12 };

/* Usage of all children that were waited for, and of their children: u32 milliseconds of user time, u32 of system
 * time, u32 KiB of the largest resident set. */
void usage_put(uint8_t at[USAGE_BYTES]);

#endif
