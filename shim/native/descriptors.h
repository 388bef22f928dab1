#ifndef CLAWRDEN_DESCRIPTORS_H
#define CLAWRDEN_DESCRIPTORS_H

#include <stdbool.h>

/* Makes sure that nothing opened later becomes descriptor 0, 1 or 2, and that everything inherited above them is
 * closed at exec. What fills a gap is closed at exec too. */
bool descriptors_guard(void);

#endif
