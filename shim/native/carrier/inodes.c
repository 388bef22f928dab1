#include "inodes.h"

#include <stdlib.h>

#include "name-hash.h"

static struct entry **inode_bucket(const struct index *index, uint64_t inode)
{
    return &index->inodes[number_hash(index->key, inode) & (index->buckets - 1)];
}

struct entry *inodes_find(const struct index *index, uint64_t inode)
{
    struct entry *at = *inode_bucket(index, inode);
    while (at && at->inode != inode)
        at = at->inode_next;
    return at;
}

/* The names of this inode are not in order any more, where there are others. */
static void tear(struct index *index, uint64_t inode, bool left)
{
    if (!inodes_find(index, inode))
        return;
    struct torn *last = index->torn_count > index->torn_looked ? &index->torn[index->torn_count - 1] : NULL;
    if (last && last->inode == inode) {
        last->left |= left;
        return;
    }
    if (index->torn_count == index->torn_room) {
        size_t room = index->torn_room ? index->torn_room * 2 : 64;
        struct torn *torn = realloc(index->torn, room * sizeof *torn);
        if (!torn) {
            index->failed = true;
            return;
        }
        index->torn = torn;
        index->torn_room = room;
    }
    index->torn[index->torn_count++] = (struct torn){inode, left};
}

static void put_in(const struct index *index, struct entry *entry)
{
    struct entry **bucket = inode_bucket(index, entry->inode);
    entry->inode_before = NULL;
    entry->inode_next = *bucket;
    if (*bucket)
        (*bucket)->inode_before = entry;
    *bucket = entry;
}

static void take_out(const struct index *index, const struct entry *entry)
{
    if (entry->inode_before)
        entry->inode_before->inode_next = entry->inode_next;
    else
        *inode_bucket(index, entry->inode) = entry->inode_next;
    if (entry->inode_next)
        entry->inode_next->inode_before = entry->inode_before;
}

void inodes_leave(struct index *index, struct entry *entry)
{
    if (!(entry->flags & ENTRY_LINKED))
        return;
    take_out(index, entry);
    entry->flags &= (uint8_t)~ENTRY_LINKED;
    tear(index, entry->inode, true);
}

void inodes_join(struct index *index, struct entry *entry, uint64_t inode)
{
    if (entry->flags & ENTRY_LINKED && entry->inode == inode)
        return;
    inodes_leave(index, entry);
    entry->inode = inode;
    entry->flags |= ENTRY_LINKED;
    tear(index, inode, false);
    put_in(index, entry);
}

void inodes_rehash(struct index *index, struct entry *entry)
{
    if (entry->flags & ENTRY_LINKED)
        put_in(index, entry);
}

void inodes_put_first(const struct index *index, struct entry *entry)
{
    take_out(index, entry);
    put_in(index, entry);
}
