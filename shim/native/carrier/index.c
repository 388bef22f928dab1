#include "index.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

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

static void keep_base(struct index *index, struct entry *entry)
{
    if (!index->keeps_base || entry->base)
        return;
    struct record now = entry_now(entry);
    index_base(index, entry, &now);
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

static void count(struct index *index, const struct entry *entry, int by)
{
    if (!entry_alive(entry)) {
        if (entry->seq > 0)
            index->gone += (uint64_t)(int64_t)by;
        return;
    }
    index->entries += (uint64_t)(int64_t)by;
    index->bytes += by > 0 ? entry_size(entry) : -entry_size(entry);
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
    count(index, entry, -1);
    index_change(index, entry);
    set_now(index, entry, record);
    count(index, entry, 1);
}

void index_take_up(struct index *index, struct entry *entry, const struct record *record, uint32_t seq)
{
    count(index, entry, -1);
    entry->seq = seq;
    set_now(index, entry, record);
    count(index, entry, 1);
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
    count(index, entry, -1);
    index_change(index, entry);
    count(index, entry, 1);
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

/* Above, all of the index is saved at once. */
enum { FORGOTTEN_MOST = 1024 * 1024 };

static bool has_room(struct forgotten *forgotten, size_t length)
{
    size_t needed = forgotten->length + length, room = forgotten->room ? forgotten->room : 4096;
    while (room < needed)
        room *= 2;
    if (room == forgotten->room)
        return true;
    char *paths = room <= FORGOTTEN_MOST ? realloc(forgotten->paths, room) : NULL;
    if (!paths)
        return false;
    forgotten->paths = paths;
    forgotten->room = room;
    return true;
}

static void write_down(struct index *index, const struct entry *entry)
{
    struct forgotten *forgotten = &index->forgotten;
    char path[PATH_MOST + 1];
    /* What never changed was never more than a name. */
    if (!index->logs || entry->seq == 0)
        return;
    size_t length = entry_path(entry, path) ? strlen(path) + 1 : 0;
    if (length == 0 || !has_room(forgotten, length)) {
        index_log(index, false);
        return;
    }
    memcpy(forgotten->paths + forgotten->length, path, length);
    forgotten->length += length;
}

void index_log(struct index *index, bool saved)
{
    index->logs = saved;
    index->forgotten.length = 0;
}

void index_forget(struct index *index, struct entry *entry)
{
    if (!entry->parent || entry->child || entry_alive(entry) || entry->flags & ENTRY_QUEUED)
        return;
    write_down(index, entry);
    count(index, entry, -1);
    leave_bucket(index, entry);
    leave_folder(entry);
    index->held--;
    index_base(index, entry, NULL);
    arena_give(&index->arena, entry, bytes_of(entry->length));
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
