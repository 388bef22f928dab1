#ifndef CLAWRDEN_SIGNALS_H
#define CLAWRDEN_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* A signalfd for what ends the shim before anything runs: INT TERM HUP QUIT, but for those of the set `ignored` (bit
 * n-1: signal n), which stay ignored. -1 where that fails. */
int signals_open(uint64_t ignored);

/* From now on the tool's signals too: USR1 USR2 CONT TSTP, and WINCH. */
bool signals_add_tool(int signals, uint64_t ignored);

/* The next signal that came, 0 for none. */
int signals_next(int signals);

/* Stops this process by `number` and comes back when it goes on; at once where its group is orphaned. */
void signals_stop_self(int number);

#endif
