#ifndef CLAWRDEN_USAGE_H
#define CLAWRDEN_USAGE_H

#include <stdint.h>

enum { USAGE_BYTES = 12 };

/* What all children used that have been waited for, and theirs: u32 milliseconds of user time, u32 of system time, u32
 * KiB that the largest of them had in memory. */
void usage_put(uint8_t at[USAGE_BYTES]);

#endif
