#include "forget.h"

#include <stdlib.h>

static void forget_below(struct index *index, struct entry *entry)
{
    for (struct entry *child = entry_child(entry), *next; child; child = next) {
        next = entry_next(child);
        forget_below(index, child);
    }
    if (entry_alive(entry) || entry->seq == 0 || entry->skip != SKIP_NOT)
        return;
    /* A replica must say of what home had that it is gone. */
    bool counts = index->keeps_base ? entry->base && entry->base != BASE_NONE : entry->seq > index->floor;
    if (!counts)
        index_forget(index, entry);
}

static void list_below(const struct entry *entry, uint64_t *list, size_t room, size_t *count)
{
    if (!entry_alive(entry) && entry->seq > 0 && *count < room)
        list[(*count)++] = entry->seq;
    for (const struct entry *child = entry_child(entry); child; child = entry_next(child))
        list_below(child, list, room, count);
}

static int by_value(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

static void raise_floor(struct index *index)
{
    size_t count = 0;
    uint64_t *list = malloc((size_t)index->gone * sizeof *list);
    if (!list)
        return;
    list_below(index->root, list, (size_t)index->gone, &count);
    qsort(list, count, sizeof *list, by_value);
    if (count > 0)
        index->floor = list[count / 2];
    free(list);
}

void forget_gone(struct carrier *carrier)
{
    struct index *index = &carrier->index;
    if (carrier->receiving || index->gone <= carrier->limits.entries)
        return;
    if (!index->keeps_base)
        raise_floor(index);
    forget_below(index, index->root);
    carrier->unsaved = true;
}
