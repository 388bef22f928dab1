/* A record as bytes: the same in a frame, on the disk and under the tree's id. */
#ifndef CLAWRDEN_CARRIER_RECORD_H
#define CLAWRDEN_CARRIER_RECORD_H

#include <sys/stat.h>

#include "reader.h"
#include "words.h"

enum {
    /* Type, mode, owner, group, mtime, size, link, id. */
    RECORD_IN_FRAME = 1 + 3 * 4 + 3 * 8 + SHA256_BYTES,
    /* An entry's frame has the attributes themselves; elsewhere their digest follows. */
    RECORD_BYTES = RECORD_IN_FRAME + SHA256_BYTES,
};

/* What a look at it alone shows: no id, no attributes. */
struct record record_of(const struct stat *status);

/* Reads a small file as it is by now: the record has its id, and the size and time of other bytes than it was of. False if
 * it cannot be read, or is small no more. */
bool record_small_now(int fd, uint8_t block[BLOCK_BYTES], struct record *record);

void record_put(const struct record *record, uint8_t bytes[RECORD_BYTES]);

/* The part that is in a frame. What is missing makes the reader bad. */
void record_read(struct reader *reader, struct record *record);

/* The same to the other side; of a folder without what is in it. */
bool record_same(const struct record *a, const struct record *b);

#endif
