#include "index.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "forgotten.h"
#include "inodes.h"
#include "manners.h"
#include "name-hash.h"
#include "watches.h"

/* On average there are this many entries in a bucket before there are more buckets. */
enum { BUCKETS_FIRST = 1024, IN_EACH = 2 };

static size_t name_bucket(const struct index *index, const struct entry *folder, const char *name, size_t length)
{
    return name_hash(index->key, folder, name, length) & (index->buckets - 1);
}

static bool make_tables(struct index *index, size_t buckets)
{
    uint32_t *names = calloc(buckets, sizeof *names);
    uint32_t *inodes = calloc(buckets, sizeof *inodes);
    uint32_t *watches = calloc(watch_buckets(buckets), sizeof *watches);
    if (!names || !inodes || !watches) {
        free(names);
        free(inodes);
        free(watches);
        return false;
    }
    free(index->names);
    free(index->inodes);
    free(index->watches);
    index->names = names;
    index->inodes = inodes;
    index->watches = watches;
    index->buckets = buckets;
    return true;
}

/* With the zero at the end of its name. */
static size_t bytes_of(size_t length)
{
    return offsetof(struct entry, name) + length + 1;
}

static struct entry *entry_make(struct index *index, const char *name, size_t length)
{
    struct entry *entry = arena_take(&index->arena, bytes_of(length));
    if (!entry)
        return NULL;
    memcpy(entry->name, name, length);
    entry->length = (uint8_t)length;
    return entry;
}

bool index_begin(struct index *index, bool keeps_base)
{
    *index = (struct index){.keeps_base = keeps_base, .next = 1};
    if (getrandom(index->key, sizeof index->key, 0) != sizeof index->key)
        return false;
    if (getrandom(&index->epoch, sizeof index->epoch, 0) != sizeof index->epoch)
        return false;
    index->epoch |= 1;
    if (!arena_begin(&index->arena) || !manners_begin(index))
        return false;
    index->root = entry_make(index, "", 0);
    return index->root && make_tables(index, BUCKETS_FIRST);
}

static void free_blocks(struct entry *entry)
{
    free(entry_blocks(entry));
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        free_blocks(child);
}

void index_end(struct index *index)
{
    if (index->root)
        free_blocks(index->root);
    arena_end(&index->arena);
    free(index->names);
    free(index->inodes);
    free(index->watches);
    free(index->manners);
    free(index->forgotten.paths);
    free(index->queue);
    free(index->torn);
    free(index->outside);
    *index = (struct index){0};
}

struct entry *index_find(const struct index *index, const struct entry *folder, const char *name, size_t length)
{
    struct entry *entry = arena_at(&index->arena, index->names[name_bucket(index, folder, name, length)]);
    while (entry && (entry_parent(entry) != folder || entry->length != length || memcmp(entry->name, name, length) != 0))
        entry = way_end(entry, entry->bucket_next);
    return entry;
}

struct entry *index_at(const struct index *index, const char *path)
{
    struct entry *entry = index->root;
    while (entry && *path) {
        size_t length = strcspn(path, "/");
        entry = length <= NAME_MOST ? index_find(index, entry, path, length) : NULL;
        path += length;
        path += *path == '/';
    }
    return entry;
}

static void put_in_bucket(struct index *index, const struct entry *folder, struct entry *entry)
{
    uint32_t *bucket = &index->names[name_bucket(index, folder, entry->name, entry->length)];
    entry->bucket_next = way_between(entry, arena_at(&index->arena, *bucket));
    *bucket = arena_place(&index->arena, entry);
}

static void rehash(struct index *index, struct entry *entry)
{
    if (entry->parent)
        put_in_bucket(index, entry_parent(entry), entry);
    inodes_rehash(index, entry);
    watches_rehash(index, entry);
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        rehash(index, child);
}

static void put_in_folder(struct entry *folder, struct entry *entry)
{
    struct entry *first = entry_child(folder);
    entry->parent = way_between(entry, folder);
    entry->next = way_between(entry, first);
    if (first)
        first->before = way_between(first, entry);
    folder->child = way_between(folder, entry);
}

struct entry *index_add(struct index *index, struct entry *folder, const char *name, size_t length)
{
    struct entry *entry = index_find(index, folder, name, length);
    if (entry)
        return entry;
    entry = entry_make(index, name, length);
    if (!entry) {
        index->failed = true;
        return NULL;
    }
    put_in_folder(folder, entry);
    put_in_bucket(index, folder, entry);
    if (++index->held > index->buckets * IN_EACH && make_tables(index, index->buckets * 2))
        rehash(index, index->root);
    return entry;
}

struct entry *index_make(struct index *index, const char *path)
{
    struct entry *entry = index->root;
    while (entry && *path) {
        size_t length = strcspn(path, "/");
        entry = length <= NAME_MOST ? index_add(index, entry, path, length) : NULL;
        path += length;
        path += *path == '/';
    }
    return entry;
}

static void leave_bucket(struct index *index, struct entry *entry)
{
    uint32_t *bucket = &index->names[name_bucket(index, entry_parent(entry), entry->name, entry->length)];
    struct entry *at = arena_at(&index->arena, *bucket), *next = way_end(entry, entry->bucket_next);
    if (at == entry) {
        *bucket = next ? arena_place(&index->arena, next) : 0;
        return;
    }
    while (at && way_end(at, at->bucket_next) != entry)
        at = way_end(at, at->bucket_next);
    if (at)
        at->bucket_next = way_between(at, next);
}

static void leave_folder(struct entry *entry)
{
    struct entry *folder = entry_parent(entry), *before = way_end(entry, entry->before), *next = entry_next(entry);
    if (before)
        before->next = way_between(before, next);
    else
        folder->child = way_between(folder, next);
    if (next)
        next->before = way_between(next, before);
}

void index_forget(struct index *index, struct entry *entry)
{
    if (!entry->parent || entry->child || entry_alive(entry) || entry->flags & (ENTRY_QUEUED | ENTRY_IN_PASS))
        return;
    forgotten_add(index, entry);
    index_count(index, entry, -1);
    leave_bucket(index, entry);
    leave_folder(entry);
    index->held--;
    index_base(index, entry, NULL);
    arena_give(&index->arena, entry, bytes_of(entry->length));
}
