/* What the kernel tells of a tree. Its queue is filled inside the call that writes: once it is empty, nothing was missed. */
#ifndef CLAWRDEN_CARRIER_NOTIFY_H
#define CLAWRDEN_CARRIER_NOTIFY_H

#include "carrier.h"

void notify_begin(struct carrier *carrier);

/* From here on changes in the open folder are told. Look at what is in it only now. */
void notify_watch(struct carrier *carrier, struct entry *entry, int fd);

/* The entry and all below it. */
void notify_leave(struct carrier *carrier, struct entry *entry);

/* Takes note of all that was told. */
void notify_drain(void *carrier);

#endif
