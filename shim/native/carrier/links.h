/* Files of several names. One of them, the first in the tree's order, is the file; the others are links to it. */
#ifndef CLAWRDEN_CARRIER_LINKS_H
#define CLAWRDEN_CARRIER_LINKS_H

#include "index.h"

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

/*
 * Its bytes are read again at the next look, whatever its times say, under each of its names: what is written through a
 * mapping changes no time after the first byte of a page, and a clock may be set back.
 */
void links_doubt(const struct index *index, struct entry *entry);

/* The kernel told of another name of the entry's inode. */
bool links_told(const struct index *index, const struct entry *entry);

#endif
