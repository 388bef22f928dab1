#include "index.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "inodes.h"
#include "name-hash.h"
#include "watches.h"

enum { BUCKETS_FIRST = 1024 };

static size_t name_bucket(const struct index *index, const struct entry *folder, const char *name, size_t length)
{
    return name_hash(index->key, folder, name, length) & (index->buckets - 1);
}

static bool make_tables(struct index *index, size_t buckets)
{
    struct entry **names = calloc(buckets, sizeof *names);
    struct entry **inodes = calloc(buckets, sizeof *inodes);
    struct entry **watches = calloc(buckets, sizeof *watches);
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

static struct entry *entry_make(const char *name, size_t length)
{
    struct entry *entry = calloc(1, sizeof *entry + length + 1);
    if (!entry)
        return NULL;
    memcpy(entry->name, name, length);
    entry->length = (uint8_t)length;
    entry->watch = -1;
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
    index->root = entry_make("", 0);
    return index->root && make_tables(index, BUCKETS_FIRST);
}

static void free_below(struct entry *entry)
{
    for (struct entry *child = entry->child, *next; child; child = next) {
        next = child->next;
        free_below(child);
    }
    free(entry->base);
    free(entry->blocks);
    free(entry);
}

void index_end(struct index *index)
{
    if (index->root)
        free_below(index->root);
    free(index->names);
    free(index->inodes);
    free(index->watches);
    free(index->queue);
    free(index->torn);
    *index = (struct index){0};
}

struct entry *index_find(const struct index *index, const struct entry *folder, const char *name, size_t length)
{
    struct entry *entry = index->names[name_bucket(index, folder, name, length)];
    while (entry && (entry->parent != folder || entry->length != length || memcmp(entry->name, name, length) != 0))
        entry = entry->bucket_next;
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

static void rehash(struct index *index, struct entry *entry)
{
    if (entry->parent) {
        struct entry **bucket = &index->names[name_bucket(index, entry->parent, entry->name, entry->length)];
        entry->bucket_next = *bucket;
        *bucket = entry;
    }
    inodes_rehash(index, entry);
    watches_rehash(index, entry);
    for (struct entry *child = entry->child; child; child = child->next)
        rehash(index, child);
}

struct entry *index_add(struct index *index, struct entry *folder, const char *name, size_t length)
{
    struct entry *entry = index_find(index, folder, name, length);
    if (entry)
        return entry;
    entry = entry_make(name, length);
    if (!entry) {
        index->failed = true;
        return NULL;
    }
    entry->parent = folder;
    entry->next = folder->child;
    if (folder->child)
        folder->child->before = entry;
    folder->child = entry;
    struct entry **bucket = &index->names[name_bucket(index, folder, name, length)];
    entry->bucket_next = *bucket;
    *bucket = entry;
    if (++index->held > index->buckets && make_tables(index, index->buckets * 2))
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

static void keep_base(struct index *index, struct entry *entry)
{
    if (!index->keeps_base || entry->base)
        return;
    entry->base = malloc(sizeof *entry->base);
    if (entry->base)
        *entry->base = entry->now;
    else
        index->failed = true;
}

struct record *index_change(struct index *index, struct entry *entry)
{
    keep_base(index, entry);
    entry->seq = index->next;
    index->changed = true;
    for (struct entry *above = entry; above; above = above->parent) {
        if (above->below == index->next && above->flags & ENTRY_STALE)
            break;
        keep_base(index, above);
        above->flags |= ENTRY_STALE;
        above->below = index->next;
    }
    return &entry->now;
}

static void count(struct index *index, const struct entry *entry, int by)
{
    if (entry->now.type == TYPE_NONE) {
        if (entry->seq > 0)
            index->gone += (uint64_t)(int64_t)by;
        return;
    }
    index->entries += (uint64_t)(int64_t)by;
    index->bytes += by > 0 ? entry->now.size : -entry->now.size;
}

void index_set(struct index *index, struct entry *entry, const struct record *record)
{
    count(index, entry, -1);
    *index_change(index, entry) = *record;
    count(index, entry, 1);
}

void index_unreadable(struct index *index, struct entry *entry, bool unreadable)
{
    bool before = entry->flags & ENTRY_UNREADABLE;
    index->unreadable += (uint64_t)unreadable - (uint64_t)before;
    entry->flags = (uint8_t)((entry->flags & ~ENTRY_UNREADABLE) | (unreadable ? ENTRY_UNREADABLE : 0));
}

void index_gone(struct index *index, struct entry *entry)
{
    static const struct record none;
    for (struct entry *child = entry->child; child; child = child->next)
        if (entry_alive(child) || child->skip != SKIP_NOT)
            index_gone(index, child);
    inodes_leave(index, entry);
    index->skipped -= entry->skip != SKIP_NOT;
    index->too_large -= entry->skip == SKIP_TOO_LARGE;
    entry->skip = SKIP_NOT;
    free(entry->blocks);
    entry->blocks = NULL;
    entry->inode = 0;
    entry->ctime = 0;
    index_unreadable(index, entry, false);
    entry->flags &= (uint8_t)~ENTRY_UNSTABLE;
    if (entry_alive(entry))
        index_set(index, entry, &none);
}

void index_lost(struct index *index, struct entry *entry)
{
    if (entry_alive(entry))
        return;
    count(index, entry, -1);
    index_change(index, entry);
    count(index, entry, 1);
}

static void unlink_bucket(struct entry **at, struct entry *entry)
{
    while (*at && *at != entry)
        at = &(*at)->bucket_next;
    if (*at)
        *at = entry->bucket_next;
}

void index_forget(struct index *index, struct entry *entry)
{
    if (!entry->parent || entry->child || entry_alive(entry) || entry->flags & ENTRY_QUEUED)
        return;
    count(index, entry, -1);
    unlink_bucket(&index->names[name_bucket(index, entry->parent, entry->name, entry->length)], entry);
    if (entry->before)
        entry->before->next = entry->next;
    else
        entry->parent->child = entry->next;
    if (entry->next)
        entry->next->before = entry->before;
    index->held--;
    free(entry->base);
    free(entry);
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
