/* Files that may be written through a descriptor whose name is gone, or that never had one: the kernel tells of it at no name
 * that they have. They are looked at whenever anything is. */
#ifndef CLAWRDEN_CARRIER_STRAYS_H
#define CLAWRDEN_CARRIER_STRAYS_H

#include "index.h"

/* A name of the inode is gone, and it has another; or it got a name as a link gets one. Only the last 1024 are kept. */
void strays_add(struct index *index, uint64_t inode);

/* All their names must be looked at again. */
void strays_queue(struct index *index);

#endif
