#include "tree-id.h"

#include <stdlib.h>

static int by_name(const void *a, const void *b)
{
    return names_order(*(struct entry *const *)a, *(struct entry *const *)b);
}

struct entry **children_in_order(const struct entry *folder, bool gone, size_t *count)
{
    size_t living = 0;
    for (const struct entry *child = entry_child(folder); child; child = entry_next(child))
        living += gone || entry_alive(child);
    struct entry **children = malloc((living + 1) * sizeof *children);
    *count = 0;
    for (struct entry *child = entry_child(folder); children && child; child = entry_next(child))
        if (gone || entry_alive(child))
            children[(*count)++] = child;
    if (children && living > 1)
        qsort(children, living, sizeof *children, by_name);
    return children;
}

static void add_record(struct sha256 *hash, const struct entry *entry)
{
    uint8_t fields[2 + RECORD_BYTES];
    put_u16(fields, entry->length);
    struct record now = entry_now(entry);
    record_put(&now, fields + 2);
    sha256_add(hash, fields, sizeof fields);
    sha256_add(hash, (const uint8_t *)entry->name, entry->length);
}

void record_digest(const struct entry *entry, uint8_t id[SHA256_BYTES])
{
    struct sha256 hash;
    sha256_begin(&hash);
    add_record(&hash, entry);
    sha256_end_bytes(&hash, id);
}

static bool refresh(struct entry *folder)
{
    size_t count;
    for (struct entry *child = entry_child(folder); child; child = entry_next(child))
        if (child->flags & ENTRY_STALE && !refresh(child))
            return false;
    folder->flags &= (uint16_t)~ENTRY_STALE;
    if (folder->type != TYPE_FOLDER)
        return true;
    struct entry **children = children_in_order(folder, false, &count);
    if (!children)
        return false;
    struct sha256 hash;
    sha256_begin(&hash);
    for (size_t i = 0; i < count; i++)
        add_record(&hash, children[i]);
    sha256_end_bytes(&hash, entry_facts(folder)->now.id);
    free(children);
    return true;
}

bool tree_refresh(struct index *index)
{
    return !(index->root->flags & ENTRY_STALE) || refresh(index->root);
}

void tree_id(const struct index *index, uint8_t id[SHA256_BYTES])
{
    record_digest(index->root, id);
}
