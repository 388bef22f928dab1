#ifndef CLAWRDEN_OVER_H
#define CLAWRDEN_OVER_H

#include "run.h"

/* Nothing more of the tool is waited for: only what is in its pipes. */
bool over(const struct run *run);

/* The tool has ended by itself, and what it left in the background is to live on. */
bool over_leaves(const struct run *run);

#endif
