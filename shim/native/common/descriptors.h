#ifndef CLAWRDEN_DESCRIPTORS_H
#define CLAWRDEN_DESCRIPTORS_H

#include <stdbool.h>

/* Makes sure that nothing opened later becomes descriptor 0, 1 or 2. What fills a gap is closed at exec. */
bool descriptors_guard(void);

/* Closes whatever was inherited above descriptor 2. */
void descriptors_close_inherited(void);

#endif
