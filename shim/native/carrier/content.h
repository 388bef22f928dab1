#ifndef CLAWRDEN_CARRIER_CONTENT_H
#define CLAWRDEN_CARRIER_CONTENT_H

#include <sys/stat.h>
#include <sys/types.h>

#include "words.h"

/* What a file's bytes are: its id, and above one block the ids of its blocks, to be freed. */
struct content {
    uint8_t id[SHA256_BYTES];
    uint8_t (*blocks)[SHA256_BYTES];
};

/* Called before each block is read. */
struct meanwhile {
    void (*call)(void *context);
    void *context;
};

enum content_found { CONTENT_WHOLE, CONTENT_CHANGED, CONTENT_UNREAD };

static inline uint64_t block_count(uint64_t size)
{
    return size <= BLOCK_BYTES ? 0 : (size + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

/* How many bytes the file's block has. */
static inline size_t block_length(uint64_t size, uint64_t block)
{
    uint64_t left = size - block * BLOCK_BYTES;
    return left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
}

/* Reads it all through `buffer`. CONTENT_CHANGED: somebody wrote meanwhile, and `content` is what was read. `status` becomes what it was at the end. */
enum content_found content_read(int fd, struct stat *status, uint8_t buffer[BLOCK_BYTES], const struct meanwhile *meanwhile,
                                struct content *content);

/* Of a file that cannot be read: ids that no bytes have. False if memory is short. */
bool content_none(uint64_t size, struct content *content);

void bytes_id(const void *bytes, size_t length, uint8_t id[SHA256_BYTES]);

/* Of a whole block of zeros, which is never read nor sent. */
const uint8_t *zero_block_id(void);

/* Reads `length` bytes at `offset`, as far as there are any; -1 on an error. */
ssize_t read_at(int fd, void *bytes, size_t length, uint64_t offset);

bool same_time(const struct timespec *a, const struct timespec *b);
int64_t nanoseconds(const struct timespec *time);
struct timespec time_of(int64_t nanoseconds);

#endif
