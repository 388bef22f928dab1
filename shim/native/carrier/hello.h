#ifndef CLAWRDEN_CARRIER_HELLO_H
#define CLAWRDEN_CARRIER_HELLO_H

#include <limits.h>

#include "words.h"

enum { EXCLUDES_MOST = 64 };

/* What a hello says, checked. */
struct limits {
    bool replica;
    /* At home, in a container: the workspace is mounted at the root, and nothing else of the host is there. */
    bool contained;
    uint32_t uid, gid;
    uint64_t entries, bytes, file;
    uint32_t depth;
    /* What was not taken stays for so long, and so much of it. */
    uint64_t kept_seconds, kept_bytes;
    char root[PATH_MOST + 1], area[PATH_MOST + 1];
    uint32_t excluded;
    char *excludes[EXCLUDES_MOST];
};

/* NULL, or what is wrong with it. */
const char *limits_read(struct limits *limits, const uint8_t *payload, size_t length);

#endif
