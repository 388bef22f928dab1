#ifndef CLAWRDEN_PASSTHROUGH_H
#define CLAWRDEN_PASSTHROUGH_H

#include "caller.h"

/* Becomes the original of the tool, with arguments, environment and descriptors as this program got them. */
_Noreturn void passthrough(const struct caller *caller, char **argv, char **env);

#endif
