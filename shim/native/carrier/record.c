#include "record.h"

#include <string.h>

#include "content.h"

static uint8_t type_of(mode_t mode)
{
    if (S_ISREG(mode))
        return TYPE_FILE;
    if (S_ISDIR(mode))
        return TYPE_FOLDER;
    return S_ISLNK(mode) ? TYPE_LINK : TYPE_NONE;
}

struct record record_of(const struct stat *status)
{
    struct record record = {.type = type_of(status->st_mode), .uid = status->st_uid, .gid = status->st_gid};
    record.mode = status->st_mode & (record.type == TYPE_FOLDER ? 03777 : 0777);
    record.mtime = nanoseconds(&status->st_mtim);
    record.size = record.type == TYPE_FOLDER ? 0 : (uint64_t)status->st_size;
    return record;
}

bool record_small_now(int fd, uint8_t block[BLOCK_BYTES], struct record *record)
{
    struct stat status = {0};
    /* Of an empty one, or one that may not be read, there is nothing to read. */
    bool has = record->size > 0;
    if (has && (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > BLOCK_BYTES))
        return false;
    ssize_t got = has ? read_at(fd, block, (size_t)status.st_size, 0) : 0;
    if (got < 0)
        return false;
    uint8_t id[SHA256_BYTES];
    bytes_id(block, (size_t)got, id);
    if (memcmp(id, record->id, SHA256_BYTES) == 0)
        return true;
    memcpy(record->id, id, SHA256_BYTES);
    record->size = (uint64_t)got;
    record->mtime = nanoseconds(&status.st_mtim);
    return true;
}

void record_put(const struct record *record, uint8_t bytes[RECORD_BYTES])
{
    bytes[0] = record->type;
    put_u32(bytes + 1, record->mode);
    put_u32(bytes + 5, record->uid);
    put_u32(bytes + 9, record->gid);
    put_u64(bytes + 13, (uint64_t)record->mtime);
    put_u64(bytes + 21, record->size);
    put_u64(bytes + 29, record->link);
    memcpy(bytes + 37, record->id, SHA256_BYTES);
    memcpy(bytes + RECORD_IN_FRAME, record->xattrs, SHA256_BYTES);
}

void record_read(struct reader *reader, struct record *record)
{
    record->type = read_u8(reader);
    record->mode = read_u32(reader);
    record->uid = read_u32(reader);
    record->gid = read_u32(reader);
    record->mtime = (int64_t)read_u64(reader);
    record->size = read_u64(reader);
    record->link = read_u64(reader);
    read_id(reader, record->id);
}

bool record_same(const struct record *a, const struct record *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == TYPE_NONE)
        return true;
    if (a->mode != b->mode || a->uid != b->uid || a->gid != b->gid || a->mtime != b->mtime || a->size != b->size)
        return false;
    if (a->link != b->link || memcmp(a->xattrs, b->xattrs, SHA256_BYTES) != 0)
        return false;
    return a->type == TYPE_FOLDER || memcmp(a->id, b->id, SHA256_BYTES) == 0;
}
