#include "hello.h"

#include <stdlib.h>
#include <string.h>

#include "reader.h"

static const char *read_excludes(struct limits *limits, struct reader *reader)
{
    char text[PATH_MOST + 1];
    uint16_t count = read_u16(reader);
    if (count > EXCLUDES_MOST)
        return "bad-hello: there are too many excludes";
    for (uint16_t i = 0; i < count && !reader->bad; i++) {
        read_text(reader, text, PATH_MOST);
        if (!(limits->excludes[limits->excluded] = strdup(text)))
            return "carrier-failed: no memory";
        limits->excluded++;
    }
    return NULL;
}

static const char *check(const struct limits *limits)
{
    if (limits->root[0] != '/' || limits->area[0] != '/')
        return "bad-hello: the root and the area must be absolute paths";
    if (limits->depth < 1 || limits->depth > DEPTH_MOST)
        return "bad-hello: the depth must be 1 to 255";
    if (limits->file > (uint64_t)BLOCKS_MOST * BLOCK_BYTES)
        return "bad-hello: the largest file may have at most 28 GiB";
    if (limits->entries < 1 || limits->entries > 10 * 1000 * 1000)
        return "bad-hello: the entries must be 1 to 10000000";
    return NULL;
}

const char *limits_read(struct limits *limits, const uint8_t *payload, size_t length)
{
    struct reader reader = reader_of(payload, length);
    *limits = (struct limits){0};
    if (read_u8(&reader) != CARRIER_PROTOCOL)
        return "bad-hello: another protocol";
    uint8_t role = read_u8(&reader);
    limits->replica = role == 2;
    limits->contained = role == 3;
    limits->uid = read_u32(&reader);
    limits->gid = read_u32(&reader);
    limits->entries = read_u64(&reader);
    limits->bytes = read_u64(&reader);
    limits->file = read_u64(&reader);
    limits->depth = read_u32(&reader);
    limits->kept_seconds = read_u32(&reader);
    limits->kept_bytes = read_u64(&reader);
    read_text(&reader, limits->root, PATH_MAX - 1);
    read_text(&reader, limits->area, PATH_MAX - 1);
    const char *why = read_excludes(limits, &reader);
    if (why)
        return why;
    if (!read_all(&reader) || role < 1 || role > 3)
        return "bad-hello: it cannot be read";
    return check(limits);
}
