/* One carrier: a tree, what is known of it, and the stream to its client. */
#ifndef CLAWRDEN_CARRIER_H
#define CLAWRDEN_CARRIER_H

#include <sys/stat.h>

#include "background.h"
#include "content.h"
#include "index.h"
#include "hello.h"
#include "jail.h"
#include "late.h"
#include "stream.h"

/* An exchange that is being received, see exchange.h. */
struct receiving;

/* What is on the disk of the index. */
struct saved {
    uint64_t whole_bytes, log_bytes;
    /* The last checksum, which the next part of the log goes on from. */
    uint8_t chain[SHA256_BYTES];
};

struct carrier {
    struct stream stream;
    struct limits limits;
    struct jail jail;
    struct index index;
    /* The tree, and the folder beside it for what is ours. Both on one device. */
    int root, area;
    uint64_t device, root_inode;
    /* An inotify, or -1; while it has no watches, everything is scanned each time. */
    int notify;
    bool watching;
    /* It takes no more watches than these, and tries again at this time. */
    uint64_t watches_most;
    int64_t watch_again;
    /* Changes were missed: everything must be looked at. */
    bool rescan;
    /* More is known than the index on the disk says; and whether that is said to be the last word. */
    bool unsaved, on_disk;
    struct saved saved;
    /* The index of an earlier run was there and whole. */
    bool remembered;
    struct receiving *receiving;
    /* The list of what is kept and was told last is in the area: see unfinished.h. */
    bool untold;
    struct late late;
    struct background background;
    /* When it last said that it works, and whether somebody waits. */
    struct {
        bool asked;
        int64_t said;
    } goes_on;
    struct xattrs xattrs;
    /* What is done between two blocks of a long file. */
    struct meanwhile meanwhile;
    uint8_t block[BLOCK_BYTES];
};

#endif
