#ifndef CLAWRDEN_CALLED_AS_H
#define CLAWRDEN_CALLED_AS_H

#include <stdbool.h>

#include "text.h"

/* Whether the name in `argv[0]` is that of the link by which this program was started; else says so in `why`. A caller
 * may put anything there, and it would be asked for a tool that nobody called. */
bool called_as_linked(char *const *argv, struct text *why);

#endif
