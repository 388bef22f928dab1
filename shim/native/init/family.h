#ifndef CLAWRDEN_FAMILY_H
#define CLAWRDEN_FAMILY_H

/* Everything that descends from this process, however it was forked: PID 1 has the whole container, others adopt
 * what their children leave (family_adopt). */
void family_adopt(void);

/* KILL to everyone. What forks at the same moment is met by calling it again until no child is left. */
void family_kill(void);

#endif
