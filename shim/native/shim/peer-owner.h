#ifndef CLAWRDEN_PEER_OWNER_H
#define CLAWRDEN_PEER_OWNER_H

#include <stdbool.h>

/* Whether the client of an accepted connection of 127.0.0.1 is a socket of our own user, as the kernel's list of them
 * says. False if it is not there (any more). */
bool peer_is_ours(int fd);

#endif
