/* A carrier at home that starts as root leaves all of the host behind but the workspace and its own folder. One in a
 * container has nothing else in view from the start. */
#ifndef CLAWRDEN_CARRIER_JAIL_H
#define CLAWRDEN_CARRIER_JAIL_H

#include "hello.h"

struct jail {
    /* The workspace is `/`, and nothing else of the host can be reached by a path. */
    bool closed;
    /* Only if it is closed: the carrier's folder, to be opened as the agent. */
    int area;
    /* Where the workspace is mounted, if nothing else of the host is in view; else NULL. The table of mounts. */
    const char *point;
    int mounts;
    /* What the table said of it at first. */
    uint8_t place[SHA256_BYTES];
};

/* NULL, or why it must not go on: `code: text`. It stays open if this process is not root, or
 * may not have a mount namespace of its own. */
const char *jail_enter(struct jail *jail, const struct limits *limits);

/* The workspace is gone from its place, or something else is mounted there. */
bool jail_moved(const struct jail *jail);

#endif
