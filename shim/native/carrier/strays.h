/* Files that may be written through a descriptor whose name is gone, or that never had one, or through a name that is not
 * carried: the kernel tells of it at no name that is. They are looked at whenever anything is. */
#ifndef CLAWRDEN_CARRIER_STRAYS_H
#define CLAWRDEN_CARRIER_STRAYS_H

#include "index.h"

/* A name of the inode is gone, and it has another; or somebody could write it while it was read. Only the last 1024 are kept. */
void strays_add(struct index *index, uint64_t inode);

/* The entry's file has so many names: if they are not all known, it may be written through one of the others. */
void strays_look(struct index *index, const struct entry *entry, uint64_t names);

/* All their names must be looked at again. */
void strays_queue(struct index *index);

#endif
