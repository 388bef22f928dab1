/* What the kernel tells of a tree. Its queue is filled inside the call that writes: once it is empty, nothing was missed
 * but what calls do that still go on. */
#ifndef CLAWRDEN_CARRIER_NOTIFY_H
#define CLAWRDEN_CARRIER_NOTIFY_H

#include "carrier.h"

/*
 * The kernel counts watches against the user who calls this. At home that is root, not yet the agent: other processes of
 * the agent's uid cannot take them. Of them all, one carrier takes at most half.
 */
void notify_begin(struct carrier *carrier);

/* At a look at everything: watches that were short may be there again. If not `now`, no sooner than half a minute later. */
void notify_try_again(struct carrier *carrier, bool now);

/* From here on changes in the open folder are told. Look at what is in it only now. */
void notify_watch(struct carrier *carrier, struct entry *entry, int fd);

/* The entry and all below it. */
void notify_leave(struct carrier *carrier, struct entry *entry);

/* Takes note of all that was told. */
void notify_drain(void *carrier);

/* Whether something is told within so many milliseconds. */
bool notify_wait(const struct carrier *carrier, int milliseconds);

#endif
