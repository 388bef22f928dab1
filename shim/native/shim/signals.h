#ifndef CLAWRDEN_SIGNALS_H
#define CLAWRDEN_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* A signalfd for the signals that end the shim before anything runs: INT TERM HUP QUIT, without those in the set
 * `ignored` (bit n-1: signal n), which stay ignored. -1 on failure. */
int signals_open(uint64_t ignored);

/* From now on also the signals for the tool: USR1 USR2 CONT TSTP, and WINCH. */
bool signals_add_tool(int signals, uint64_t ignored);

/* The next signal that came; 0 if none did. */
int signals_next(int signals);

/* Stops this process by `number` and returns when it continues; at once if its process group is orphaned. */
void signals_stop_self(int number);

#endif
