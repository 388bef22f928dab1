#ifndef CLAWRDEN_LISTENER_H
#define CLAWRDEN_LISTENER_H

#include <stdbool.h>

#include "text.h"

/* Whether the process that listens at the other end of `fd`, connected to the socket at `path`, may be the relay: it
 * must be root or the owner of the socket's folder, because only they can put a socket there. If not, `why` says so.
 */
bool listener_trusted(int fd, const char *path, struct text *why);

#endif
