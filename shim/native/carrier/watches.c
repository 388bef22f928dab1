#include "watches.h"

static uint32_t *watch_bucket(const struct index *index, int watch)
{
    return &index->watches[(size_t)watch & (watch_buckets(index->buckets) - 1)];
}

static struct entry *after(const struct entry *entry)
{
    return way_end(entry, entry_facts(entry)->watch_next);
}

int watch_of(const struct entry *entry)
{
    return entry->flags & ENTRY_WATCHED ? entry_facts(entry)->watch : -1;
}

struct entry *watches_find(const struct index *index, int watch)
{
    struct entry *entry = watch >= 0 ? arena_at(&index->arena, *watch_bucket(index, watch)) : NULL;
    while (entry && watch_of(entry) != watch)
        entry = after(entry);
    return entry;
}

static void put_in(struct index *index, struct entry *entry)
{
    uint32_t *bucket = watch_bucket(index, watch_of(entry));
    entry_facts(entry)->watch_next = way_between(entry, arena_at(&index->arena, *bucket));
    *bucket = arena_place(&index->arena, entry);
}

bool watches_add(struct index *index, struct entry *entry, int watch)
{
    /* Only what is known to be a folder has a place for it. */
    if (entry->type != TYPE_FOLDER)
        return false;
    index->watched++;
    entry->flags |= ENTRY_WATCHED;
    entry_facts(entry)->watch = watch;
    put_in(index, entry);
    return true;
}

void watches_remove(struct index *index, struct entry *entry)
{
    if (!(entry->flags & ENTRY_WATCHED))
        return;
    uint32_t *bucket = watch_bucket(index, watch_of(entry));
    struct entry *at = arena_at(&index->arena, *bucket), *next = after(entry);
    if (at == entry)
        *bucket = next ? arena_place(&index->arena, next) : 0;
    while (at != entry && after(at) != entry)
        at = after(at);
    if (at != entry)
        entry_facts(at)->watch_next = way_between(at, next);
    index->watched--;
    entry->flags &= (uint16_t)~ENTRY_WATCHED;
}

void watches_rehash(struct index *index, struct entry *entry)
{
    if (entry->flags & ENTRY_WATCHED)
        put_in(index, entry);
}
