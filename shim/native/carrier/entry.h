/* One entry of the index, as small as it can be: what is alive has its facts in a piece of its own. */
#ifndef CLAWRDEN_CARRIER_ENTRY_H
#define CLAWRDEN_CARRIER_ENTRY_H

#include <stddef.h>
#include <string.h>

#include "arena.h"
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
    /* A folder: it is in the table of watches. */
    ENTRY_WATCHED = 128,
    /* Its reading began so long after its last change that another would show. */
    ENTRY_BELIEVED = 256,
    /* It is to be read again, under each of its names. */
    ENTRY_DOUBTED = 512,
    /* The disk says something else of it, or of what is in it. */
    ENTRY_UNSAVED = 1024,
    ENTRY_UNSAVED_BELOW = 2048,
    /* It was in the queue, and the pass over that is going on: it is not forgotten before the end of the pass. */
    ENTRY_IN_PASS = 4096,
    /* Between what a replica sends and its acknowledgement, when there is no pass: home has not got it. */
    ENTRY_UNSENT = ENTRY_IN_PASS,
    /* It came with the version in the making: nobody was told of it. Says nothing if it changed last before that. */
    ENTRY_NEW = 8192,
    /* It was there in a version that was told, and since then its disk could not say of it, or of a folder above. */
    ENTRY_MISSED = 16384,
    /* A folder that stays for what is not carried: the other side has it not, and is not told before something in it changes. */
    ENTRY_LEFT = 32768,
};

/* What many entries have in common, once. */
struct manner {
    int32_t bucket_next;
    uint32_t uses;
    uint32_t mode, uid, gid, type;
    uint64_t link;
    uint8_t xattrs[SHA256_BYTES];
};

/* A record. */
struct packed {
    int64_t mtime;
    uint64_t size;
    int32_t manner;
    /* The way to the pointer to the ids of the blocks of a file above one block. */
    int32_t blocks;
    uint8_t id[SHA256_BYTES];
};

/* Of what is alive: its record, and facts of the inode when that was made. */
struct facts {
    struct packed now;
    uint64_t inode;
    int64_t ctime;
    union {
        /* Of a file, other names in the same bucket. */
        struct {
            int32_t inode_next, inode_before;
        };
        /* Of a folder. */
        struct {
            int32_t watch_next, watch;
        };
    };
};

/* The other side had nothing: the way of a base that needs no place. */
enum { BASE_NONE = 1 };

struct entry {
    /* Ways from here. */
    int32_t parent, child, next, before, bucket_next, facts;
    /* To the record that the other side last had, BASE_NONE, or 0 while it is what is now. */
    int32_t base;
    /* When this changed last, and when anything in it did. */
    uint32_t seq, below;
    uint16_t flags;
    uint8_t type, skip, length;
    char name[];
};

static inline struct entry *entry_parent(const struct entry *entry)
{
    return way_end(entry, entry->parent);
}

static inline struct entry *entry_child(const struct entry *entry)
{
    return way_end(entry, entry->child);
}

static inline struct entry *entry_next(const struct entry *entry)
{
    return way_end(entry, entry->next);
}

static inline struct facts *entry_facts(const struct entry *entry)
{
    return way_end(entry, entry->facts);
}

static inline bool entry_alive(const struct entry *entry)
{
    return entry->type != TYPE_NONE;
}

/* What it is now, and what of it is asked for alone. Of what is not alive everything is 0. */
struct record entry_now(const struct entry *entry);
const uint8_t *entry_id(const struct entry *entry);
uint64_t entry_size(const struct entry *entry);
uint32_t entry_mode(const struct entry *entry);
uint64_t entry_link(const struct entry *entry);
int64_t entry_mtime(const struct entry *entry);
uint64_t entry_inode(const struct entry *entry);
int64_t entry_ctime(const struct entry *entry);
/* The ids of its blocks; NULL of a file of one. */
uint8_t (*entry_blocks(const struct entry *entry))[SHA256_BYTES];

bool entry_is(const struct entry *entry, const struct record *record);

/* What the other side had, where that is not what is now: then false. */
bool entry_base(const struct entry *entry, struct record *base);

/* Differs from what the other side had. */
bool entry_dirty(const struct entry *entry);

/* A folder in a place where the other side had one: not one that was made here. */
bool entry_had_folder(const struct entry *entry);

/* What is known of it is not on the disk. */
void entry_unsaved(struct entry *entry);

/* Names in the order of their bytes: the tree's order. */
int names_order(const struct entry *a, const struct entry *b);

/* The entry's path from the root, without a slash in front. False where it is longer than paths may be. */
bool entry_path(const struct entry *entry, char path[PATH_MOST + 1]);
uint32_t entry_depth(const struct entry *entry);

#endif
