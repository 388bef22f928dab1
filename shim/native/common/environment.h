#ifndef CLAWRDEN_ENVIRONMENT_H
#define CLAWRDEN_ENVIRONMENT_H

#include <stddef.h>

/* The value of `name` in a list of NAME=value; NULL if it is not set. */
const char *environment_value(char *const *env, const char *name);

/* The plan's environment. For a mirrored command it gets this process's PATH, without the directory of the tool
 * links, and HOME if the plan has none. A PWD that does not name the current directory is left out. NULL if memory is
 * short. */
char **environment_make(char *const *planned, char *const *own, int mirror);

#endif
