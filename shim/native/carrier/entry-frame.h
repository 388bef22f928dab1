/* One change as it travels. */
#ifndef CLAWRDEN_CARRIER_ENTRY_FRAME_H
#define CLAWRDEN_CARRIER_ENTRY_FRAME_H

#include "record.h"

enum change_kind { CHANGE_PUT = 1, CHANGE_META, CHANGE_DELETE, CHANGE_LINK };

enum change_bits {
    /* It says what it replaces. */
    CHANGE_WAS = 1,
    /* The bytes follow in chunks. */
    CHANGE_BYTES = 2,
};

struct change {
    uint8_t kind, bits, was_type;
    uint8_t was_id[SHA256_BYTES];
    struct record wanted;
    char path[PATH_MOST + 1];
    /* A link's text, or the first name of a file that this is another name of. */
    char target[PATH_MOST + 1];
    /* Views into the frame. */
    const uint8_t *xattrs, *blocks;
    size_t xattrs_length;
    uint32_t block_count;
};

/* False if the payload is not an entry. What it says is only known to be well formed. */
bool change_read(struct change *change, const uint8_t *payload, size_t length);

#endif
