#include "strays.h"

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

void strays_queue(struct index *index)
{
    for (size_t i = 0; i < STRAYS_MOST; i++) {
        struct entry *first = index->strays[i] ? inodes_find(index, index->strays[i]) : NULL;
        if (!first)
            index->strays[i] = 0;
        for (struct entry *at = first; at; at = inode_next(at))
            if (entry_inode(at) == index->strays[i])
                index_queue(index, at);
    }
}
