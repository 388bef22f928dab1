#include "strays.h"

#include <stdlib.h>

#include "inodes.h"

static bool is_kept(const struct index *index, uint64_t inode)
{
    for (size_t i = 0; i < STRAYS_MOST; i++)
        if (index->strays[i] == inode)
            return true;
    return false;
}

void strays_add(struct index *index, uint64_t inode)
{
    if (!is_kept(index, inode))
        index->strays[index->stray_next++ % STRAYS_MOST] = inode;
}

/* Of one with more, nobody counts them. */
enum { COUNTED_MOST = 256 };

static bool are_known(const struct index *index, const struct entry *entry, uint64_t names)
{
    uint64_t known = 0;
    if (names > COUNTED_MOST)
        return false;
    for (const struct entry *at = inodes_find(index, entry_inode(entry)); at && known < names; at = inode_next(at))
        known += entry_inode(at) == entry_inode(entry);
    return known == names;
}

void strays_look(struct index *index, const struct entry *entry, uint64_t names)
{
    size_t count = index->outside_count;
    if (names < 2 || !(entry->flags & ENTRY_LINKED) || count == OUTSIDE_MOST)
        return;
    /* Its other names come here, too. */
    if ((count > 0 && index->outside[count - 1] == entry_inode(entry)) || are_known(index, entry, names))
        return;
    if (index->outside_count == index->outside_room) {
        size_t room = index->outside_room ? index->outside_room * 2 : 64;
        uint64_t *outside = realloc(index->outside, room * sizeof *outside);
        if (!outside)
            return;
        index->outside = outside;
        index->outside_room = room;
    }
    index->outside[index->outside_count++] = entry_inode(entry);
}

/* A look says again of which it still is so, and of a change at one name the others hear. */
static void queue_outside(struct index *index)
{
    for (size_t i = 0; i < index->outside_count; i++) {
        struct entry *first = inodes_find(index, index->outside[i]);
        if (first)
            index_queue(index, first);
    }
    index->outside_count = 0;
}

void strays_queue(struct index *index)
{
    queue_outside(index);
    for (size_t i = 0; i < STRAYS_MOST; i++) {
        struct entry *first = index->strays[i] ? inodes_find(index, index->strays[i]) : NULL;
        if (!first)
            index->strays[i] = 0;
        for (struct entry *at = first; at; at = inode_next(at))
            if (entry_inode(at) == index->strays[i])
                index_queue(index, at);
    }
}
