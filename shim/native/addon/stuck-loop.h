/* Wakes a thread whose loop stands still in the kernel. */
#ifndef CLAWRDEN_STUCK_LOOP_H
#define CLAWRDEN_STUCK_LOOP_H

/* The calling thread's loop turned. The first call begins to look: while the loop does not turn for more than 50 ms,
 * the thread gets a signal each millisecond, which does nothing but end what it waits for. Returns 0 or an errno. */
int loop_turned(void);

#endif
