#ifndef CLAWRDEN_FAMILY_H
#define CLAWRDEN_FAMILY_H

/* All descendants of this process, however they were forked. PID 1 owns the whole container; another init adopts what
 * its children leave (family_adopt). */
void family_adopt(void);

/* Sends KILL to all of them. A process that forks at the same moment may survive: call this again until no child is
 * left. */
void family_kill(void);

#endif
