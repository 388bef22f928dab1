/* Files by their inode. Every file is in the table: a new name of one says nothing at the old name. */
#ifndef CLAWRDEN_CARRIER_INODES_H
#define CLAWRDEN_CARRIER_INODES_H

#include "index.h"

/* The entry is a name of this inode, or is not any more. */
void inodes_join(struct index *index, struct entry *entry, uint64_t inode);
void inodes_leave(struct index *index, struct entry *entry);

/* A name of the inode, or NULL. The others follow it, with names of other inodes between them. */
struct entry *inodes_find(const struct index *index, uint64_t inode);

struct entry *inode_next(const struct entry *entry);
struct entry *inode_before(const struct entry *entry);

/* From now on it is found before the other names of its inode. */
void inodes_put_first(const struct index *index, struct entry *entry);

/* Puts the entry into a table that was made anew. */
void inodes_rehash(struct index *index, struct entry *entry);

#endif
