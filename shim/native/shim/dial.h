#ifndef CLAWRDEN_DIAL_H
#define CLAWRDEN_DIAL_H

#include "text.h"

/* Connects to the Unix socket at `path`, waiting up to 5 s for one that is absent or refuses: a relay may be
 * restarting. The non-blocking socket, or -1 with what failed in `why`. A signal on `signals` (a signalfd) ends the
 * wait with -1 and errno EINTR. */
int dial(const char *path, int signals, struct text *why);

#endif
