#ifndef STEPS_H
#define STEPS_H

#include "performance.h"

/* Does as many steps of the scene as can be done now. */
void take_steps(struct performance *show);

#endif
