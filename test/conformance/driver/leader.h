#ifndef LEADER_H
#define LEADER_H

#include "stage.h"

/* In a child of the driver: leads a session, runs the tool in a process group of its own, in the foreground of the
 * terminal if there is one, and tells what becomes of it. */
_Noreturn void lead(const struct stage *stage, const struct scene *scene, int events, int orders);

#endif
