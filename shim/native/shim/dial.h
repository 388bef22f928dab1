#ifndef CLAWRDEN_DIAL_H
#define CLAWRDEN_DIAL_H

#include "text.h"

/* Connects to the Unix socket at `path`. If the socket is absent or refuses, waits up to 5 s, because a relay may be
 * restarting. Returns the non-blocking socket, or -1 with the reason in `why`. A signal on `signals` (a signalfd)
 * ends the wait with -1 and errno EINTR. */
int dial(const char *path, int signals, struct text *why);

#endif
