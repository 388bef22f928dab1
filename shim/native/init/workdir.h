#ifndef CLAWRDEN_WORKDIR_H
#define CLAWRDEN_WORKDIR_H

#include "text.h"

/* Enters `cwd` and checks that its real path is inside `workspace`, component by component. An empty workspace is not
 * compared. NULL, or the reason code with its text in `why`. */
const char *workdir_enter(const char *cwd, const char *workspace, struct text *why);

#endif
