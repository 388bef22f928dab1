#ifndef CLAWRDEN_KEEP_H
#define CLAWRDEN_KEEP_H

/* PID 1 of a session: runs nothing, and waits for what others leave until fd 0 ends or says anything. Then it ends,
 * and the container with it. `signals` reports events of children. */
_Noreturn void keep(int signals);

#endif
