#include "tree-id.h"

#include <stdlib.h>
#include <string.h>

#include "wire.h"

enum { FIELDS_BYTES = 1 + 3 * 4 + 3 * 8 + 2 * SHA256_BYTES };

static int by_name(const void *a, const void *b)
{
    return names_order(*(struct entry *const *)a, *(struct entry *const *)b);
}

struct entry **children_in_order(const struct entry *folder, bool gone, size_t *count)
{
    size_t living = 0;
    for (const struct entry *child = folder->child; child; child = child->next)
        living += gone || entry_alive(child);
    struct entry **children = malloc((living + 1) * sizeof *children);
    *count = 0;
    for (struct entry *child = folder->child; children && child; child = child->next)
        if (gone || entry_alive(child))
            children[(*count)++] = child;
    if (children && living > 1)
        qsort(children, living, sizeof *children, by_name);
    return children;
}

static void add_record(struct sha256 *hash, const struct entry *entry)
{
    const struct record *record = &entry->now;
    uint8_t fields[2 + FIELDS_BYTES], *at = fields;
    put_u16(at, entry->length);
    at[2] = record->type;
    put_u32(at + 3, record->mode);
    put_u32(at + 7, record->uid);
    put_u32(at + 11, record->gid);
    put_u64(at + 15, (uint64_t)record->mtime);
    put_u64(at + 23, record->size);
    put_u64(at + 31, record->link);
    memcpy(at + 39, record->id, SHA256_BYTES);
    memcpy(at + 39 + SHA256_BYTES, record->xattrs, SHA256_BYTES);
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
    for (struct entry *child = folder->child; child; child = child->next)
        if (child->flags & ENTRY_STALE && !refresh(child))
            return false;
    folder->flags &= (uint8_t)~ENTRY_STALE;
    if (folder->now.type != TYPE_FOLDER)
        return true;
    struct entry **children = children_in_order(folder, false, &count);
    if (!children)
        return false;
    struct sha256 hash;
    sha256_begin(&hash);
    for (size_t i = 0; i < count; i++)
        add_record(&hash, children[i]);
    sha256_end_bytes(&hash, folder->now.id);
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
