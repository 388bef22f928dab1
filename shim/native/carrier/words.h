/* What the carrier's files have in common: limits, and one entry of a tree as both ends know it. */
#ifndef CLAWRDEN_CARRIER_WORDS_H
#define CLAWRDEN_CARRIER_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sha256.h"

enum {
    CARRIER_PROTOCOL = 1,
    NAME_MOST = 255,
    PATH_MOST = 4095,
    DEPTH_MOST = 255,
    /* Files above this are known by the hashes of their blocks. */
    BLOCK_BYTES = 1024 * 1024,
    /* An entry's frame holds the list of its blocks. */
    BLOCKS_MOST = 28 * 1024,
    XATTRS_MOST = 64 * 1024,
    PATHS_TOLD = 100,
    /* A state has three lists of them, in one frame. */
    PATHS_TOLD_BYTES = 300 * 1024,
};

enum type { TYPE_NONE, TYPE_FILE, TYPE_FOLDER, TYPE_LINK };

/* Why something in the tree is not carried. */
enum skip {
    SKIP_NOT,
    SKIP_SPECIAL,
    SKIP_OTHER_DEVICE,
    SKIP_TOO_DEEP,
    SKIP_TOO_LARGE,
    SKIP_XATTRS,
    SKIP_RESERVED,
    SKIP_FULL,
    SKIP_UNREADABLE,
};

/* All that is carried of an entry. Two trees are the same where their records are. */
struct record {
    uint8_t type;
    uint32_t mode, uid, gid;
    int64_t mtime;
    /* 0 for a folder. */
    uint64_t size;
    /* Not 0: another name of a file whose first name in the tree has this key. */
    uint64_t link;
    /* Of the content, the link's text, or all that is in the folder. */
    uint8_t id[SHA256_BYTES];
    /* Zeros where it has none. */
    uint8_t xattrs[SHA256_BYTES];
};

/* Extended attributes in one order, as they are hashed and sent: u16 length, name, u32 length, value. */
struct xattrs {
    size_t length;
    uint8_t bytes[XATTRS_MOST];
};

#endif
