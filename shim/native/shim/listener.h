#ifndef CLAWRDEN_LISTENER_H
#define CLAWRDEN_LISTENER_H

#include <stdbool.h>

#include "text.h"

/* Whether who listens at the other end of `fd`, connected to the socket at `path`, may be its relay: root, or whoever
 * owns the socket's folder, for only those put a socket there. Else says so in `why`. */
bool listener_trusted(int fd, const char *path, struct text *why);

#endif
