#include "watches.h"

static struct entry **watch_bucket(const struct index *index, int watch)
{
    return &index->watches[(size_t)watch & (index->buckets - 1)];
}

struct entry *watches_find(const struct index *index, int watch)
{
    struct entry *entry = watch >= 0 ? *watch_bucket(index, watch) : NULL;
    while (entry && entry->watch != watch)
        entry = entry->watch_next;
    return entry;
}

void watches_add(struct index *index, struct entry *entry, int watch)
{
    struct entry **bucket = watch_bucket(index, watch);
    index->watched++;
    entry->watch = watch;
    entry->watch_next = *bucket;
    *bucket = entry;
}

void watches_remove(struct index *index, struct entry *entry)
{
    struct entry **at = entry->watch >= 0 ? watch_bucket(index, entry->watch) : NULL;
    while (at && *at && *at != entry)
        at = &(*at)->watch_next;
    if (at && *at) {
        *at = entry->watch_next;
        index->watched--;
    }
    entry->watch = -1;
}

void watches_rehash(struct index *index, struct entry *entry)
{
    if (entry->watch < 0)
        return;
    index->watched--;
    watches_add(index, entry, entry->watch);
}
