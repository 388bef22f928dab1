#ifndef CLAWRDEN_OOM_H
#define CLAWRDEN_OOM_H

#include <stdint.h>

/* How many processes of this container the kernel has killed for memory so far; 0 if it does not say. */
uint32_t oom_kills(void);

#endif
