/* Reads what one name of an open folder is: its facts, and of a file its bytes. */
#ifndef CLAWRDEN_CARRIER_READ_ENTRY_H
#define CLAWRDEN_CARRIER_READ_ENTRY_H

#include <sys/stat.h>

#include "carrier.h"
#include "content.h"

/* What a look has found. */
struct found {
    struct stat status;
    int64_t looked;
    struct record record;
    struct content content;
    /* The largest file for which there is room. */
    uint64_t most;
    uint8_t flags;
    /* A file that somebody could write as it was read. */
    bool open;
};

/* Fills what was found behind `status` and `most`. Else it says why the entry is not carried. */
enum skip read_entry(struct carrier *carrier, int folder, const char *name, struct found *found);

#endif
