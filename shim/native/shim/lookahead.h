#ifndef CLAWRDEN_LOOKAHEAD_H
#define CLAWRDEN_LOOKAHEAD_H

#include "source.h"

/* A pipe or socket, seen without being emptied: of what lies in it, the first `sent - taken` bytes were sent. */

/* As source_read(). */
ssize_t lookahead_read(struct source *source, void *bytes, size_t length);

/* Takes bytes out until `count` of them were, which is more than before. */
void lookahead_take(struct source *source, uint64_t count);

void lookahead_close(struct source *source);

#endif
