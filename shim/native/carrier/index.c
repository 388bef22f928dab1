#include "index.h"

#include <stdlib.h>
#include <string.h>

#include "inodes.h"
#include "manners.h"
#include "watches.h"

static void keep_base(struct index *index, struct entry *entry)
{
    static const struct record none;
    if (!index->keeps_base || entry->base)
        return;
    struct record now = entry_now(entry);
    index_base(index, entry, entry->flags & ENTRY_LEFT ? &none : &now);
    entry->flags &= (uint16_t)~ENTRY_LEFT;
}

void index_change(struct index *index, struct entry *entry)
{
    keep_base(index, entry);
    /* No carrier lives to see so many. */
    index->failed |= index->next > UINT32_MAX;
    uint32_t next = (uint32_t)index->next;
    entry->seq = next;
    entry_unsaved(entry);
    index->changed = true;
    for (struct entry *above = entry; above; above = entry_parent(above)) {
        if (above->below == next && above->flags & ENTRY_STALE)
            break;
        keep_base(index, above);
        above->flags |= ENTRY_STALE;
        above->below = next;
    }
}

void index_count(struct index *index, const struct entry *entry, int by)
{
    if (!entry_alive(entry)) {
        if (entry->seq > 0)
            index->gone += (uint64_t)(int64_t)by;
        return;
    }
    uint64_t size = entry_size(entry), listed = size > BLOCK_BYTES ? size : 0;
    index->entries += (uint64_t)(int64_t)by;
    index->bytes += by > 0 ? size : -size;
    index->listed += by > 0 ? listed : -listed;
}

/* Forgets nothing of `packed` if memory is short. */
static bool pack(struct index *index, struct packed *packed, const struct record *record)
{
    struct manner *manner = manners_take(index, record);
    if (!manner)
        return false;
    manners_give(index, way_end(packed, packed->manner));
    packed->manner = way_between(packed, manner);
    packed->mtime = record->mtime;
    packed->size = record->size;
    memcpy(packed->id, record->id, SHA256_BYTES);
    return true;
}

static void drop_facts(struct index *index, struct entry *entry)
{
    struct facts *facts = entry_facts(entry);
    if (!facts)
        return;
    inodes_leave(index, entry);
    watches_remove(index, entry);
    index_blocks(index, entry, NULL);
    manners_give(index, way_end(&facts->now, facts->now.manner));
    arena_give(&index->arena, facts, sizeof *facts);
    entry->facts = 0;
}

static void set_now(struct index *index, struct entry *entry, const struct record *record)
{
    entry->type = record->type;
    if (record->type == TYPE_NONE) {
        drop_facts(index, entry);
        return;
    }
    if (!entry->facts)
        entry->facts = way_between(entry, arena_take(&index->arena, sizeof(struct facts)));
    struct facts *facts = entry_facts(entry);
    if (facts && pack(index, &facts->now, record))
        return;
    index->failed = true;
    entry->type = TYPE_NONE;
    drop_facts(index, entry);
}

void index_set(struct index *index, struct entry *entry, const struct record *record)
{
    index_count(index, entry, -1);
    index_change(index, entry);
    set_now(index, entry, record);
    index_count(index, entry, 1);
}

void index_take_up(struct index *index, struct entry *entry, const struct record *record, uint32_t seq)
{
    index_count(index, entry, -1);
    entry->seq = seq;
    set_now(index, entry, record);
    index_count(index, entry, 1);
}

void index_facts(struct index *index, struct entry *entry, uint64_t inode, int64_t ctime)
{
    struct facts *facts = entry_facts(entry);
    if (!facts)
        return;
    facts->ctime = ctime;
    entry_unsaved(entry);
    if (entry->type == TYPE_FILE) {
        inodes_join(index, entry, inode);
        return;
    }
    inodes_leave(index, entry);
    facts->inode = inode;
}

void index_blocks(struct index *index, struct entry *entry, uint8_t (*blocks)[SHA256_BYTES])
{
    struct facts *facts = entry_facts(entry);
    uint8_t (**place)[SHA256_BYTES] = facts ? way_end(&facts->now, facts->now.blocks) : NULL;
    if (place)
        free(*place);
    else if (facts && blocks)
        place = arena_take(&index->arena, sizeof *place);
    if (!place) {
        index->failed |= facts && blocks;
        free(blocks);
        return;
    }
    *place = blocks;
    facts->now.blocks = way_between(&facts->now, blocks ? place : NULL);
    if (!blocks)
        arena_give(&index->arena, place, sizeof *place);
}

void index_base(struct index *index, struct entry *entry, const struct record *record)
{
    struct packed *base = entry->base == BASE_NONE ? NULL : way_end(entry, entry->base);
    bool needed = record && record->type != TYPE_NONE;
    if (entry->base || record)
        entry_unsaved(entry);
    if (base && !needed) {
        manners_give(index, way_end(base, base->manner));
        arena_give(&index->arena, base, sizeof *base);
    }
    if (!needed) {
        entry->base = record ? BASE_NONE : 0;
        return;
    }
    if (!base)
        base = arena_take(&index->arena, sizeof *base);
    if (base)
        entry->base = way_between(entry, base);
    index->failed |= !base || !pack(index, base, record);
}

void index_unreadable(struct index *index, struct entry *entry, bool unreadable)
{
    bool before = entry->flags & ENTRY_UNREADABLE;
    if (before != unreadable)
        entry_unsaved(entry);
    index->unreadable += (uint64_t)unreadable - (uint64_t)before;
    entry->flags = (uint16_t)((entry->flags & ~ENTRY_UNREADABLE) | (unreadable ? ENTRY_UNREADABLE : 0));
}

void index_gone(struct index *index, struct entry *entry)
{
    static const struct record none;
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        if (entry_alive(child) || child->skip != SKIP_NOT)
            index_gone(index, child);
    index->skipped -= entry->skip != SKIP_NOT;
    index->too_large -= entry->skip == SKIP_TOO_LARGE;
    index->full -= entry->skip == SKIP_FULL;
    index->freed |= entry_alive(entry);
    entry->skip = SKIP_NOT;
    index_unreadable(index, entry, false);
    if (entry->flags & ENTRY_UNSTABLE)
        entry_unsaved(entry);
    entry->flags &= (uint16_t)~ENTRY_UNSTABLE;
    if (entry_alive(entry))
        index_set(index, entry, &none);
}

void index_lost(struct index *index, struct entry *entry)
{
    if (entry_alive(entry))
        return;
    index_count(index, entry, -1);
    index_change(index, entry);
    index_count(index, entry, 1);
}

void index_unstable(struct index *index, struct entry *entry)
{
    entry->flags |= ENTRY_UNSTABLE;
    entry_unsaved(entry);
    index_queue(index, entry);
}

void index_queue(struct index *index, struct entry *entry)
{
    if (entry->flags & ENTRY_QUEUED)
        return;
    if (index->queued == index->queue_room) {
        size_t room = index->queue_room ? index->queue_room * 2 : 256;
        struct entry **queue = realloc(index->queue, room * sizeof *queue);
        if (!queue) {
            index->failed = true;
            return;
        }
        index->queue = queue;
        index->queue_room = room;
    }
    entry->flags |= ENTRY_QUEUED;
    index->queue[index->queued++] = entry;
}
