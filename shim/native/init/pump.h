#ifndef CLAWRDEN_PUMP_H
#define CLAWRDEN_PUMP_H

#include "run.h"

/* Moves one chunk of each output that is ready into frames, only as fast as our own stdout takes them. */
void pump(struct run *run, short out_events, short err_events);

/* The reader of the tool's descriptor 1 or 2 is gone: the tool's next write there gets a SIGPIPE. */
void pump_close(struct run *run, int fd);

#endif
