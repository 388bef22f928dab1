#ifndef CLAWRDEN_WORKDIR_H
#define CLAWRDEN_WORKDIR_H

#include "text.h"

/* Enters `cwd` and makes sure that where it really is lies in `workspace`, component by component; an empty
 * workspace is not compared. NULL, or the reason code with its text in `why`. */
const char *workdir_enter(const char *cwd, const char *workspace, struct text *why);

#endif
