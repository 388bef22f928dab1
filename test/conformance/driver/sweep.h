#ifndef SWEEP_H
#define SWEEP_H

/* Kills every descendant, however deep, and returns when there is none; this process must be their subreaper. */
void sweep(void);

#endif
