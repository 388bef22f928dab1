#ifndef CLAWRDEN_STOP_H
#define CLAWRDEN_STOP_H

#include "run.h"

/* Asks the tool to end (TERM and CONT to its group), and kills everything 2 s later. The first cause counts. */
void stop_tool(struct run *run, enum cause cause);

/* Kills everything now. */
void stop_hard(struct run *run, enum cause cause);

/* The tool has ended for any reason: from here on only the processes that it left are killed. */
void stop_ended(struct run *run);

/* True if the remaining processes cannot be killed: the init then reports the end without waiting longer. */
bool stop_reaped_enough(const struct run *run);

/* The next moment at which stop_if_due() must act; 0 for never. */
int64_t stop_deadline(const struct run *run);

void stop_if_due(struct run *run);

/* The gateway is gone: kills everything and ends this process. */
_Noreturn void stop_vanish(struct run *run);

#endif
