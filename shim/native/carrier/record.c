#include "record.h"

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
