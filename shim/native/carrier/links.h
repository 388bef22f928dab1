/* Files of several names. One of them, the first in the tree's order, is the file; the others are links to it. */
#ifndef CLAWRDEN_CARRIER_LINKS_H
#define CLAWRDEN_CARRIER_LINKS_H

#include "index.h"

/* The entry is a name of this inode. Every file is in the table: a new name of one says nothing at the old name. */
void links_join(struct index *index, struct entry *entry, uint64_t inode);
void links_leave(struct index *index, struct entry *entry);

/* Puts the entry into tables that were made anew: as a name of its inode, and by its watch. */
void links_rehash(struct index *index, struct entry *entry);

/* Says of every file whose names changed which is first. Part of a change: it sets `link` of records. */
void links_mend(struct index *index);

/* The first name of the file that this one is another name of, or NULL. */
struct entry *links_first(const struct index *index, const struct entry *entry);

/* All names of files whose names changed must be looked at again. */
void links_queue_torn(struct index *index);

/*
 * Whether a neighbour among the names of the inode is known to be what this one is. Then the first of them that was found
 * to be so has queued the others; if each name did, many names would take the square of their number.
 */
bool links_agree(const struct entry *entry);

/* All other names of the entry's inode must be looked at again. */
void links_queue(struct index *index, const struct entry *entry);

/* The kernel told of another name of the entry's inode. */
bool links_told(const struct index *index, const struct entry *entry);

/* Entries by their watch. */
struct entry *watches_find(const struct index *index, int watch);
void watches_add(struct index *index, struct entry *entry, int watch);
void watches_remove(struct index *index, struct entry *entry);

/* A file of the tree has this inode. */
bool links_known(const struct index *index, uint64_t inode);

#endif
