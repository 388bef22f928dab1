#include "content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t nanoseconds(const struct timespec *time)
{
    /* Times beyond what 64 bits hold are not told apart. */
    uint64_t all = (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
    return (int64_t)all;
}

struct timespec time_of(int64_t nanoseconds)
{
    int64_t seconds = nanoseconds / 1000000000, rest = nanoseconds % 1000000000;
    if (rest < 0) {
        rest += 1000000000;
        seconds--;
    }
    return (struct timespec){seconds, rest};
}

bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

void bytes_id(const void *bytes, size_t length, uint8_t id[SHA256_BYTES])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, bytes, length);
    sha256_end_bytes(&hash, id);
}

const uint8_t *zero_block_id(void)
{
    static const uint8_t id[SHA256_BYTES] = {
        0x30, 0xe1, 0x49, 0x55, 0xeb, 0xf1, 0x35, 0x22, 0x66, 0xdc, 0x2f, 0xf8, 0x06, 0x7e, 0x68, 0x10,
        0x46, 0x07, 0xe7, 0x50, 0xab, 0xb9, 0xd3, 0xb3, 0x65, 0x82, 0xb8, 0xaf, 0x90, 0x9f, 0xcb, 0x58,
    };
    return id;
}

ssize_t read_at(int fd, void *bytes, size_t length, uint64_t offset)
{
    size_t filled = 0;
    while (filled < length) {
        ssize_t got = pread(fd, (uint8_t *)bytes + filled, length - filled, (off_t)(offset + filled));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        filled += (size_t)got;
    }
    return (ssize_t)filled;
}

static bool is_hole(int fd, uint64_t offset)
{
    off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
    return data < 0 ? errno == ENXIO : (uint64_t)data >= offset + BLOCK_BYTES;
}

/* -1 where it cannot be read, 0 where the file has become shorter. */
static int read_block(int fd, uint64_t size, uint64_t block, uint8_t buffer[BLOCK_BYTES], uint8_t id[SHA256_BYTES])
{
    size_t length = block_length(size, block);
    if (length == BLOCK_BYTES && is_hole(fd, block * BLOCK_BYTES)) {
        memcpy(id, zero_block_id(), SHA256_BYTES);
        return 1;
    }
    ssize_t got = read_at(fd, buffer, length, block * BLOCK_BYTES);
    if (got < 0)
        return -1;
    bytes_id(buffer, (size_t)got, id);
    return (size_t)got == length;
}

static int read_blocks(int fd, uint64_t size, uint8_t buffer[BLOCK_BYTES], const struct meanwhile *meanwhile,
                       struct content *content)
{
    uint64_t count = block_count(size);
    int whole = 1;
    content->blocks = calloc(count, SHA256_BYTES);
    if (!content->blocks)
        return -1;
    for (uint64_t block = 0; block < count && whole > 0; block++) {
        meanwhile->call(meanwhile->context);
        whole = read_block(fd, size, block, buffer, content->blocks[block]);
    }
    bytes_id(content->blocks, count * SHA256_BYTES, content->id);
    return whole;
}

static int read_small(int fd, uint64_t size, uint8_t buffer[BLOCK_BYTES], struct content *content)
{
    ssize_t got = read_at(fd, buffer, (size_t)size, 0);
    if (got >= 0)
        bytes_id(buffer, (size_t)got, content->id);
    return got < 0 ? -1 : (uint64_t)got == size;
}

enum content_found content_read(int fd, struct stat *status, uint8_t buffer[BLOCK_BYTES], const struct meanwhile *meanwhile,
                                struct content *content)
{
    struct stat after;
    uint64_t size = (uint64_t)status->st_size;
    content->blocks = NULL;
    bool large = size > BLOCK_BYTES;
    int whole = large ? read_blocks(fd, size, buffer, meanwhile, content) : read_small(fd, size, buffer, content);
    if (whole < 0 || fstat(fd, &after) != 0) {
        free(content->blocks);
        content->blocks = NULL;
        return CONTENT_UNREAD;
    }
    bool same = after.st_size == status->st_size && same_time(&after.st_ctim, &status->st_ctim);
    *status = after;
    return whole > 0 && same ? CONTENT_WHOLE : CONTENT_CHANGED;
}

bool content_none(uint64_t size, struct content *content)
{
    uint64_t count = block_count(size);
    *content = (struct content){.blocks = NULL};
    if (count == 0)
        return true;
    content->blocks = calloc(count, SHA256_BYTES);
    if (!content->blocks)
        return false;
    bytes_id(content->blocks, count * SHA256_BYTES, content->id);
    return true;
}
