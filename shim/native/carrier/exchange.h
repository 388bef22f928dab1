/* An exchange that comes in: the changes that the other side named, and what became of each. */
#ifndef CLAWRDEN_CARRIER_EXCHANGE_H
#define CLAWRDEN_CARRIER_EXCHANGE_H

#include "carrier.h"
#include "entry-frame.h"

enum verdict {
    /* The tree has it already. */
    DO_NOTHING,
    DO_MAKE,
    DO_REPLACE,
    DO_META,
    DO_DELETE,
    /* A folder of which only what the other side knew may go. */
    DO_EMPTY,
    IN_CONFLICT,
    /* Its bytes did not come, or were others than said. */
    IS_UNSTABLE,
};

/* Where what was in the tree is now. */
enum out { OUT_NOT, OUT_GRAVE, OUT_SWAPPED, OUT_EMPTIED };

struct op {
    uint8_t kind, bits, was_type, verdict, out;
    /* `aside`: what it took out is to be kept, because the other side did not know it; `out_kept`: it is. `kept`: what
     * came and does not stand is. */
    bool staged, done, owner_differs, aside, kept, out_kept;
    uint8_t was_id[SHA256_BYTES];
    struct record wanted;
    /* In one piece, which begins with the path: all of these, and what follows of its blocks. */
    char *path, *target;
    uint8_t *xattrs;
    size_t xattrs_length;
    /* The ids of its blocks, one where it is small, and which of them are there. */
    uint8_t *blocks;
    bool *have;
    uint32_t count, missing;
    /* The op + 1 of the new folder that this is staged in, 0 where it is staged alone. */
    uint32_t inside;
};

/* A block that is being written. */
struct writing {
    int fd;
    uint32_t number, block;
    uint64_t next;
    struct sha256 hash;
};

/* A folder that stays open between two of its entries. */
struct way {
    int fd;
    char folder[PATH_MOST + 16];
};

struct receiving {
    int stage;
    /*
     * `force`: what changed here goes, if the tree is still `tree`. `whole`: what the other side does not name is not in
     * its tree. `theirs`: of two changes the other side's stands. `trusted`: however much goes. `keep_only`: nothing is
     * applied, and what would be is kept.
     */
    bool force, whole, theirs, trusted, keep_only, asked, checked;
    uint64_t epoch, seq, bytes;
    uint8_t tree[SHA256_BYTES];
    /* Of all that is said of its entries, in memory. */
    uint64_t said;
    /* Files that were looked for under other names. */
    uint32_t searched;
    /* The folder in kept/; 0 before the commit, and behind its moves if nothing is in it. */
    uint64_t kept;
    struct op *ops;
    uint32_t count, room;
    /* Ops by path: number + 1. */
    uint32_t *table;
    uint32_t table_size;
    struct writing writing;
    struct way staged, live;
    /* What went wrong first, `code: text`: nothing is moved any more. */
    const char *wrong;
};

/* A new exchange without changes, in place of the one before. False if memory is short. */
bool exchange_begin(struct carrier *carrier);
void exchange_end(struct carrier *carrier);

/* A change becomes part of the exchange. NULL if memory is short. */
struct op *exchange_add(struct carrier *carrier, const struct change *change);

/* The change of `path`, or NULL. */
struct op *op_at(const struct carrier *carrier, const char *path);

/* Where an op is staged, under the stage. */
void stage_path(const struct carrier *carrier, const struct op *op, char path[PATH_MOST + 16]);

/* The folder of `path` under `base`, kept open for the next; its last name in `*name`. */
int way_to(struct way *way, int base, const char *path, const char **name);
void way_close(struct way *way);

/* The living entry of `path`, or NULL. */
static inline struct entry *living(const struct carrier *carrier, const char *path)
{
    struct entry *entry = index_at(&carrier->index, path);
    return entry && entry_alive(entry) ? entry : NULL;
}

#endif
