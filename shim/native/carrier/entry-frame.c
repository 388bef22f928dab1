#include "entry-frame.h"

#include "content.h"
#include "xattrs.h"

static void read_lists(struct reader *reader, struct change *change)
{
    change->xattrs_length = read_u32(reader);
    change->xattrs = read_bytes(reader, change->xattrs_length);
    change->block_count = read_u32(reader);
    if (change->block_count > BLOCKS_MOST)
        reader->bad = true;
    else
        change->blocks = read_bytes(reader, (size_t)change->block_count * SHA256_BYTES);
}

static bool lists_fit(const struct change *change)
{
    const struct record *wanted = &change->wanted;
    uint8_t id[SHA256_BYTES];
    bool listed = (change->kind == CHANGE_PUT || change->kind == CHANGE_LINK) && wanted->type == TYPE_FILE && wanted->size > BLOCK_BYTES;
    if (!xattrs_valid(change->xattrs, change->xattrs_length))
        return false;
    if (change->block_count != (listed ? block_count(wanted->size) : 0))
        return false;
    if (listed)
        bytes_id(change->blocks, (size_t)change->block_count * SHA256_BYTES, id);
    return !listed || memcmp(id, wanted->id, SHA256_BYTES) == 0;
}

static bool fits(const struct change *change)
{
    const struct record *wanted = &change->wanted;
    if (change->kind < CHANGE_PUT || change->kind > CHANGE_LINK || change->was_type > TYPE_LINK)
        return false;
    if (wanted->type < TYPE_FILE || wanted->type > TYPE_LINK || wanted->size > (uint64_t)BLOCKS_MOST * BLOCK_BYTES)
        return false;
    if (wanted->mode & ~(wanted->type == TYPE_FOLDER ? 03777u : 0777u))
        return false;
    if (change->kind == CHANGE_LINK && (wanted->type != TYPE_FILE || change->target[0] == 0))
        return false;
    if (wanted->type == TYPE_LINK && change->kind == CHANGE_PUT && change->target[0] == 0)
        return false;
    /* The root can be neither made nor taken away. */
    if (change->path[0] == 0 && (change->kind == CHANGE_DELETE || wanted->type != TYPE_FOLDER))
        return false;
    return lists_fit(change);
}

bool change_read(struct change *change, const uint8_t *payload, size_t length)
{
    struct reader reader = reader_of(payload, length);
    *change = (struct change){0};
    change->kind = read_u8(&reader);
    change->bits = read_u8(&reader);
    record_read(&reader, &change->wanted);
    change->was_type = read_u8(&reader);
    read_id(&reader, change->was_id);
    read_text(&reader, change->path, PATH_MOST);
    read_text(&reader, change->target, PATH_MOST);
    read_lists(&reader, change);
    if (!read_all(&reader) || !fits(change))
        return false;
    if (change->xattrs_length > 0)
        bytes_id(change->xattrs, change->xattrs_length, change->wanted.xattrs);
    return true;
}
