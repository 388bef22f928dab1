#ifndef CLAWRDEN_STOP_H
#define CLAWRDEN_STOP_H

#include "run.h"

/* Asks the tool to end (TERM and CONT to its group), and kills everything 2 s later. The first cause stays. */
void stop_tool(struct run *run, enum cause cause);

/* Kills everything now. */
void stop_hard(struct run *run, enum cause cause);

/* The tool has ended by whatever: from here on only what it left behind is killed. */
void stop_ended(struct run *run);

/* True where what is left cannot be killed: the end is told without waiting for it any longer. */
bool stop_reaped_enough(const struct run *run);

/* The next moment at which stop_if_due() has something to do, 0 for never. */
int64_t stop_deadline(const struct run *run);

void stop_if_due(struct run *run);

/* Nobody listens any more: kills everything and ends this process. */
_Noreturn void stop_vanish(struct run *run);

#endif
