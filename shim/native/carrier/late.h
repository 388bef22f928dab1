/* Files that an exchange took out of the tree stay for a while: a process may still have one open and write. Such a write
 * is a change of this side, which is kept and told. */
#ifndef CLAWRDEN_CARRIER_LATE_H
#define CLAWRDEN_CARRIER_LATE_H

#include <stdint.h>

struct carrier;
struct late_file;

/* What is in kept/, and was not told yet. */
struct late_found {
    struct late_found *next;
    uint64_t folder;
    uint32_t number;
    char *path;
};

struct late {
    /* The oldest first. */
    struct late_file *first, *last;
    struct late_found *found;
    /* `fresh`: those of the commit that is going on. */
    uint32_t count, fresh, found_count;
    /* The folder in the area that they wait in, and how many ever did. */
    int grave;
    uint64_t buried;
    /* Bytes that the look that goes on may still read. */
    uint64_t may_read;
};

/* Between the moves of a commit and the look that follows them: the index still has what was taken out. The files go
 * from the stage into the grave, but no folder does: a process that works in one that is gone is told so, and makes no
 * new files that would go with it. */
void late_remember(struct carrier *carrier);

/* After a commit: of too many the oldest go. */
void late_bound(struct carrier *carrier);

/* Looks at all of them; those that waited long enough go. What was written is told, or stays until it can be kept. */
void late_look(struct carrier *carrier);

/* Looks for the last time, and takes all of them away but what cannot be kept. */
void late_end(struct carrier *carrier);

/* Milliseconds until the next may go, -1 if there is none. */
int late_wait_ms(const struct carrier *carrier);

/* What was written too late, each once: u32 count, u16 n, n × (u64 folder in kept/, u32 number, text path). */
void late_tell(struct carrier *carrier);

#endif
