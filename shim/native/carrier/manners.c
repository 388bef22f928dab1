#include "manners.h"

#include <stdlib.h>
#include <string.h>

#include "name-hash.h"

enum { BUCKETS_FIRST = 64 };

static struct manner manner_of(const struct record *record)
{
    struct manner manner = {.type = record->type, .mode = record->mode, .uid = record->uid, .gid = record->gid};
    manner.link = record->link;
    memcpy(manner.xattrs, record->xattrs, SHA256_BYTES);
    return manner;
}

enum { COMPARED = offsetof(struct manner, mode) };

static bool same(const struct manner *a, const struct manner *b)
{
    return memcmp((const char *)a + COMPARED, (const char *)b + COMPARED, sizeof *a - COMPARED) == 0;
}

static uint32_t *bucket_of(const struct index *index, const struct manner *manner)
{
    uint64_t hash = name_hash(index->key, NULL, (const char *)manner + COMPARED, sizeof *manner - COMPARED);
    return &index->manners[hash & (index->manner_buckets - 1)];
}

static void put_in(struct index *index, struct manner *manner)
{
    uint32_t *bucket = bucket_of(index, manner);
    manner->bucket_next = way_between(manner, arena_at(&index->arena, *bucket));
    *bucket = arena_place(&index->arena, manner);
}

bool manners_begin(struct index *index)
{
    index->manner_buckets = BUCKETS_FIRST;
    index->manners = calloc(BUCKETS_FIRST, sizeof *index->manners);
    return index->manners;
}

static void make_room(struct index *index)
{
    uint32_t *before = index->manners;
    size_t count = index->manner_buckets;
    uint32_t *buckets = calloc(count * 2, sizeof *buckets);
    if (!buckets)
        return;
    index->manners = buckets;
    index->manner_buckets = count * 2;
    for (size_t i = 0; i < count; i++)
        for (struct manner *manner = arena_at(&index->arena, before[i]), *next; manner; manner = next) {
            next = way_end(manner, manner->bucket_next);
            put_in(index, manner);
        }
    free(before);
}

static struct manner *add(struct index *index, const struct manner *wanted)
{
    struct manner *manner = arena_take(&index->arena, sizeof *manner);
    if (!manner)
        return NULL;
    if (++index->manners_held > index->manner_buckets)
        make_room(index);
    *manner = *wanted;
    put_in(index, manner);
    return manner;
}

struct manner *manners_take(struct index *index, const struct record *record)
{
    struct manner wanted = manner_of(record);
    struct manner *manner = arena_at(&index->arena, *bucket_of(index, &wanted));
    while (manner && !same(manner, &wanted))
        manner = way_end(manner, manner->bucket_next);
    if (!manner)
        manner = add(index, &wanted);
    if (manner)
        manner->uses++;
    return manner;
}

void manners_give(struct index *index, struct manner *manner)
{
    if (!manner || --manner->uses > 0)
        return;
    uint32_t *bucket = bucket_of(index, manner);
    struct manner *at = arena_at(&index->arena, *bucket), *next = way_end(manner, manner->bucket_next);
    if (at == manner)
        *bucket = next ? arena_place(&index->arena, next) : 0;
    while (at != manner && way_end(at, at->bucket_next) != manner)
        at = way_end(at, at->bucket_next);
    if (at != manner)
        at->bucket_next = way_between(at, next);
    index->manners_held--;
    arena_give(&index->arena, manner, sizeof *manner);
}
