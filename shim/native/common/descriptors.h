#ifndef CLAWRDEN_DESCRIPTORS_H
#define CLAWRDEN_DESCRIPTORS_H

#include <stdbool.h>

/* Makes sure that no file opened later becomes descriptor 0, 1 or 2. The files that fill a gap are closed at exec. */
bool descriptors_guard(void);

/* Closes every inherited descriptor above 2. */
void descriptors_close_inherited(void);

#endif
