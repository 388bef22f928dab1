#ifndef LEADER_H
#define LEADER_H

#include "stage.h"

/* In a child of the driver: leads a session, runs the tool in its own process group, in the foreground of the
 * terminal if there is one, and reports its events. */
_Noreturn void lead(const struct stage *stage, const struct scene *scene, int events, int orders);

#endif
