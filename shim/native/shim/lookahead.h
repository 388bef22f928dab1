#ifndef CLAWRDEN_LOOKAHEAD_H
#define CLAWRDEN_LOOKAHEAD_H

#include "source.h"

/* A pipe or socket that is read without being emptied: of the bytes in it, the first `sent - taken` were sent. */

/* Like source_read(). */
ssize_t lookahead_read(struct source *source, void *bytes, size_t length);

/* Removes bytes until `count` of them were removed, which is more than before. */
void lookahead_take(struct source *source, uint64_t count);

/* Takes the error that a reader of the socket gets, if it has one. */
int lookahead_error(const struct source *source);

void lookahead_close(struct source *source);

#endif
