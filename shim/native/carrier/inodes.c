#include "inodes.h"

#include <stdlib.h>

#include "name-hash.h"

static uint32_t *inode_bucket(const struct index *index, uint64_t inode)
{
    return &index->inodes[number_hash(index->key, inode) & (index->buckets - 1)];
}

struct entry *inode_next(const struct entry *entry)
{
    return entry->flags & ENTRY_LINKED ? way_end(entry, entry_facts(entry)->inode_next) : NULL;
}

struct entry *inode_before(const struct entry *entry)
{
    return entry->flags & ENTRY_LINKED ? way_end(entry, entry_facts(entry)->inode_before) : NULL;
}

struct entry *inodes_find(const struct index *index, uint64_t inode)
{
    struct entry *at = arena_at(&index->arena, *inode_bucket(index, inode));
    while (at && entry_inode(at) != inode)
        at = inode_next(at);
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
    struct facts *facts = entry_facts(entry);
    uint32_t *bucket = inode_bucket(index, facts->inode);
    struct entry *first = arena_at(&index->arena, *bucket);
    facts->inode_before = 0;
    facts->inode_next = way_between(entry, first);
    if (first)
        entry_facts(first)->inode_before = way_between(first, entry);
    *bucket = arena_place(&index->arena, entry);
}

static void take_out(const struct index *index, const struct entry *entry)
{
    struct entry *before = inode_before(entry), *next = inode_next(entry);
    if (before)
        entry_facts(before)->inode_next = way_between(before, next);
    else
        *inode_bucket(index, entry_inode(entry)) = next ? arena_place(&index->arena, next) : 0;
    if (next)
        entry_facts(next)->inode_before = way_between(next, before);
}

void inodes_leave(struct index *index, struct entry *entry)
{
    if (!(entry->flags & ENTRY_LINKED))
        return;
    take_out(index, entry);
    entry->flags &= (uint16_t)~ENTRY_LINKED;
    tear(index, entry_inode(entry), true);
}

void inodes_join(struct index *index, struct entry *entry, uint64_t inode)
{
    struct facts *facts = entry_facts(entry);
    /* Only what is known to be a file has a place for it. */
    if (entry->type != TYPE_FILE || (entry->flags & ENTRY_LINKED && facts->inode == inode))
        return;
    inodes_leave(index, entry);
    facts->inode = inode;
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
