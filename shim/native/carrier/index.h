/* What is known of a tree: every entry with its record and the facts that say whether the record still holds. */
#ifndef CLAWRDEN_CARRIER_INDEX_H
#define CLAWRDEN_CARRIER_INDEX_H

#include "record.h"

enum entry_flag {
    /* It is in the queue of what must be looked at again. */
    ENTRY_QUEUED = 1,
    /* A folder whose id does not hold what is in it now. */
    ENTRY_STALE = 2,
    /* It changed while it was read, here or when it was sent: whatever is next found is a new version. */
    ENTRY_UNSTABLE = 4,
    /* Its bytes may not be read here: it is carried as an empty file. */
    ENTRY_UNREADABLE = 8,
    /* Found by the walk that is going on. */
    ENTRY_SEEN = 16,
    /* A file: it is in the table of inodes. */
    ENTRY_LINKED = 32,
    /* The kernel told of it; only the look in the background asks. */
    ENTRY_TOLD = 64,
};

struct entry {
    struct entry *parent, *child, *next, *before;
    struct entry *bucket_next, *inode_next, *inode_before, *watch_next;
    /* The record that the other side last had; NULL while that is `now`. */
    struct record *base;
    /* Ids of the blocks of a file above one block. */
    uint8_t (*blocks)[SHA256_BYTES];
    /* Facts of the inode when the record was made, and when its reading began. */
    uint64_t inode;
    int64_t ctime, looked;
    /* When this changed last, and when anything in it did. */
    uint64_t seq, below;
    struct record now;
    int watch;
    uint8_t flags, skip;
    uint8_t length;
    char name[];
};

struct torn {
    uint64_t inode;
    /* A name is gone: what was written through it is to be seen at the others. */
    bool left;
};

struct index {
    struct entry *root;
    /* Tables of one size: by folder and name, by inode (files), by watch. */
    struct entry **names, **inodes, **watches;
    size_t buckets, held, watched;
    uint64_t key[2];
    uint64_t entries, bytes, gone, skipped, too_large;
    /* A file of several names changed while something is skipped for its size: that may be another name of it. */
    bool shrunk;
    /* Carried, but for the bytes of the file or what is in the folder. */
    uint64_t unreadable;
    /* Versions: seq is the last, next the one in the making; what was gone at floor or before is forgotten. */
    uint64_t epoch, seq, next, floor;
    /* A replica's: home's version that it has, and its own when the other side last had everything. */
    uint64_t at_epoch, at_seq, acked;
    /* What was last sent as what differs. */
    uint64_t sent;
    /* Entries that home had when it was last sent or trusted, and what commands changed of that since. */
    uint64_t guarded;
    bool keeps_base, changed;
    struct entry **queue;
    size_t queued, queue_room;
    /* Inodes whose names must be put in order again, and how many of them were looked at. */
    struct torn *torn;
    size_t torn_count, torn_room, torn_looked;
    /* Memory ended. The index cannot be believed any more. */
    bool failed;
};

bool index_begin(struct index *index, bool keeps_base);
void index_end(struct index *index);

struct entry *index_find(const struct index *index, const struct entry *folder, const char *name, size_t length);

/* By path from the root; NULL where the index has no such entry, dead or alive. */
struct entry *index_at(const struct index *index, const char *path);

/* Finds the entry or makes it; a new entry is not alive and has no type. NULL if memory is short. */
struct entry *index_add(struct index *index, struct entry *folder, const char *name, size_t length);

/* By path from the root; what the index has not is made as index_add does. NULL if memory is short. */
struct entry *index_make(struct index *index, const char *path);

/* What is not here is told as gone, though it was never seen here: the other side believes that it is there. */
void index_lost(struct index *index, struct entry *entry);

/* Call before `now` of an entry is changed: keeps what the other side had, and marks everything above. */
struct record *index_change(struct index *index, struct entry *entry);

/* Sets what an entry is now, and counts. */
void index_set(struct index *index, struct entry *entry, const struct record *record);

/* It is gone, and all that was in it. */
void index_gone(struct index *index, struct entry *entry);

/* Whether the carrier could not read what is in it. */
void index_unreadable(struct index *index, struct entry *entry, bool unreadable);

/* Takes entries that stand for nothing out of memory. */
void index_forget(struct index *index, struct entry *entry);

void index_queue(struct index *index, struct entry *entry);

static inline bool entry_alive(const struct entry *entry)
{
    return entry->now.type != TYPE_NONE;
}

/* Differs from what the other side had. */
static inline bool entry_dirty(const struct entry *entry)
{
    return entry->base && !record_same(entry->base, &entry->now);
}

/* Names in the order of their bytes: the tree's order. */
int names_order(const struct entry *a, const struct entry *b);

/* The entry's path from the root, without a slash in front. False where it is longer than paths may be. */
bool entry_path(const struct entry *entry, char path[PATH_MOST + 1]);
uint32_t entry_depth(const struct entry *entry);

#endif
