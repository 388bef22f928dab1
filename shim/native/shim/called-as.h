#ifndef CLAWRDEN_CALLED_AS_H
#define CLAWRDEN_CALLED_AS_H

#include <stdbool.h>

#include "text.h"

/* Whether the name in `argv[0]` is the name of the link by which this program was started; if not, `why` says so. A
 * caller may put any name there, and a person would be asked about a tool that nobody called. */
bool called_as_linked(char *const *argv, struct text *why);

#endif
