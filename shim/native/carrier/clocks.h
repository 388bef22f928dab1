#ifndef CLAWRDEN_CARRIER_CLOCKS_H
#define CLAWRDEN_CARRIER_CLOCKS_H

#include <stdint.h>

/* The clock that stamps files. */
int64_t now_ns(void);

/* A clock that nobody sets. */
int64_t monotonic_ms(void);

#endif
