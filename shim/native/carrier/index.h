/* What is known of a tree: every entry with its record and the facts that say whether the record still holds. */
#ifndef CLAWRDEN_CARRIER_INDEX_H
#define CLAWRDEN_CARRIER_INDEX_H

#include "entry.h"

struct torn {
    uint64_t inode;
    /* A name is gone: what was written through it is to be seen at the others. */
    bool left;
};

/* Paths, each with a zero at its end, of what was on the disk and is taken out of memory. */
struct forgotten {
    char *paths;
    size_t length, room;
};

/* An epoch of an earlier run, and the last version of it. */
struct former {
    uint64_t epoch, seq;
};

/* A replica of an older one is compared in whole. */
enum { FORMER_MOST = 64 };

/* Of files that are looked at because nothing tells of them: each is a stat at every settle. */
enum { STRAYS_MOST = 1024, OUTSIDE_MOST = 8 * 1024 };

struct index {
    /* All entries, and what belongs to them. */
    struct arena arena;
    struct entry *root;
    /* Tables of places in the arena: by folder and name, and by inode (files), of one size; by watch, smaller. */
    uint32_t *names, *inodes, *watches;
    size_t buckets, held, watched;
    /* What entries have in common, by what it is. */
    uint32_t *manners;
    size_t manner_buckets, manners_held;
    uint64_t key[2];
    uint64_t entries, bytes, gone, skipped, too_large, full;
    /* Of the bytes those of files above one block: the ids of their blocks are in memory, under each name. */
    uint64_t listed;
    /* A file of several names changed while something is skipped for its size: that may be another name of it. */
    bool shrunk;
    /* There is less than before: what found no room may have some now. */
    bool freed;
    /* Not even the names of some that are skipped are known: so it was at the last look at everything, or found since. */
    bool unlisted;
    /* Some of them are held back. */
    bool overfull;
    /* Carried, but for the bytes of the file or what is in the folder. */
    uint64_t unreadable;
    /* Versions: seq is the last, next the one in the making; what was gone at floor or before is forgotten. */
    uint64_t epoch, seq, next, floor;
    /* The epoch of the next version; 0: it is the same. */
    uint64_t next_epoch;
    struct former former[FORMER_MOST];
    uint32_t former_count;
    /* A replica's: home's version that it has, and its own when the other side last had everything. */
    uint64_t at_epoch, at_seq, acked;
    /* What was last sent as what differs. */
    uint64_t sent;
    /* Entries that home had when it was last sent or trusted, and what commands changed of that since. */
    uint64_t guarded;
    bool keeps_base, changed;
    /* What is forgotten is written down. Else all of the index must be saved. */
    bool logs;
    struct forgotten forgotten;
    struct entry **queue;
    size_t queued, queue_room;
    /* Inodes whose names must be put in order again, and how many of them were looked at. */
    struct torn *torn;
    size_t torn_count, torn_room, torn_looked;
    /* Inodes; 0 where there is none. */
    uint64_t strays[STRAYS_MOST];
    size_t stray_next;
    /* Inodes that have more names than are known. */
    uint64_t *outside;
    size_t outside_count, outside_room;
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

/* Call before what an entry is now is changed: keeps what the other side had, and marks everything above. */
void index_change(struct index *index, struct entry *entry);

/* Adds 1 or -1 of what the entry is now to what the index holds. */
void index_count(struct index *index, const struct entry *entry, int by);

/* Sets what an entry is now, and counts. */
void index_set(struct index *index, struct entry *entry, const struct record *record);

/* The same of an entry that an earlier run knew: nothing has changed by it. */
void index_take_up(struct index *index, struct entry *entry, const struct record *record, uint32_t seq);

/* Facts of the inode of what is alive. */
void index_facts(struct index *index, struct entry *entry, uint64_t inode, int64_t ctime);

/* The ids of its blocks, or NULL. They are the index's from now on. */
void index_blocks(struct index *index, struct entry *entry, uint8_t (*blocks)[SHA256_BYTES]);

/* What the other side had; NULL: what is now. */
void index_base(struct index *index, struct entry *entry, const struct record *record);

/* It is gone, and all that was in it. */
void index_gone(struct index *index, struct entry *entry);

/* Whether the carrier could not read what is in it. */
void index_unreadable(struct index *index, struct entry *entry, bool unreadable);

/* Takes entries that stand for nothing out of memory. */
void index_forget(struct index *index, struct entry *entry);

/* All of it is on the disk; or that failed. */
void index_log(struct index *index, bool saved);

/* It changed while it was read or sent: it is looked at again. */
void index_unstable(struct index *index, struct entry *entry);

void index_queue(struct index *index, struct entry *entry);

#endif
