#include "dirty.h"

static uint64_t count_below(const struct entry *entry, uint64_t since)
{
    uint64_t count = entry_dirty(entry);
    for (const struct entry *child = entry_child(entry); child; child = entry_next(child))
        if (child->below > since)
            count += count_below(child, since);
    return count;
}

uint64_t dirty_count(struct index *index)
{
    uint64_t count = index->keeps_base ? count_below(index->root, index->acked) : 0;
    if (count == 0)
        index->acked = index->seq;
    return count;
}

static void acknowledge_below(struct index *index, struct entry *entry)
{
    for (struct entry *child = entry_child(entry), *next; child; child = next) {
        next = entry_next(child);
        if (child->below > index->acked)
            acknowledge_below(index, child);
    }
    /* What changed while it was read was sent as it was read, if nothing says that it was not. */
    bool unsent = entry->flags & ENTRY_UNSENT;
    entry->flags &= (uint16_t)~ENTRY_UNSENT;
    if (unsent)
        return;
    index_base(index, entry, NULL);
    if (!entry_alive(entry) && entry->skip == SKIP_NOT)
        index_forget(index, entry);
}

void dirty_acknowledge(struct index *index)
{
    acknowledge_below(index, index->root);
    index->acked = 0;
    dirty_count(index);
}

/* True where nothing below differs: then the other side had the folder as it is, and its id says all of it. */
static bool clean_below(struct index *index, struct entry *entry, uint64_t since)
{
    bool clean = !entry_dirty(entry);
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        if (child->below > since && !clean_below(index, child, since))
            clean = false;
    if (clean && entry_alive(entry))
        index_base(index, entry, NULL);
    return clean;
}

void dirty_clean(struct index *index)
{
    if (index->keeps_base)
        clean_below(index, index->root, index->acked);
}

void dirty_base(struct index *index, struct entry *entry, const struct record *record)
{
    if (!index->keeps_base)
        return;
    entry->flags &= (uint16_t)~ENTRY_LEFT;
    index_base(index, entry, record);
    if (entry_is(entry, record))
        index_base(index, entry, NULL);
    else
        index_change(index, entry);
}

void dirty_left(struct index *index, struct entry *entry)
{
    struct record now = entry_now(entry);
    dirty_base(index, entry, &now);
    if (entry->type == TYPE_FOLDER)
        entry->flags |= ENTRY_LEFT;
}
