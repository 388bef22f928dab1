#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "content.h"
#include "cut.h"
#include "send-bytes.h"
#include "send.h"
#include "state-frames.h"

static struct entry *wanted_file(struct carrier *carrier, const char *path)
{
    struct entry *entry = index_at(&carrier->index, path);
    return entry && entry->type == TYPE_FILE && !(entry->flags & ENTRY_UNREADABLE) ? entry : NULL;
}

static bool send_block(struct carrier *carrier, const struct entry *entry, int fd, uint32_t number, uint32_t block)
{
    uint8_t id[SHA256_BYTES];
    uint64_t count = block_count(entry_size(entry));
    if (block >= (count ? count : 1) || (count > 0 && !entry_blocks(entry)))
        return false;
    size_t length = count ? block_length(entry_size(entry), block) : (size_t)entry_size(entry);
    uint64_t offset = (uint64_t)block * BLOCK_BYTES;
    if (read_at(fd, carrier->block, length, offset) != (ssize_t)length)
        return false;
    bytes_id(carrier->block, length, id);
    if (memcmp(id, count ? entry_blocks(entry)[block] : entry_id(entry), SHA256_BYTES) != 0)
        return false;
    send_bytes(&carrier->stream, number, offset, carrier->block, length);
    return true;
}

void send_wanted(struct carrier *carrier, struct reader *reader)
{
    char path[PATH_MOST + 1];
    uint32_t number = read_u32(reader);
    read_text(reader, path, PATH_MOST);
    uint32_t count = read_u32(reader);
    const uint8_t *blocks = count <= BLOCKS_MOST ? read_bytes(reader, (size_t)count * 4) : NULL;
    if (!blocks || !read_all(reader)) {
        tell_failed(carrier, "bad-want: it is not well formed");
        return;
    }
    struct entry *entry = wanted_file(carrier, path);
    int fd = entry ? beneath_open(carrier->root, path, O_RDONLY | O_NONBLOCK) : -1;
    bool whole = fd >= 0;
    struct cut cut = {0};
    for (uint32_t i = 0; i < count && whole && !cut_said(&cut, &carrier->stream); i++)
        whole = send_block(carrier, entry, fd, number, get_u32(blocks + (size_t)i * 4));
    if (!whole && entry)
        index_unstable(&carrier->index, entry);
    if (fd >= 0)
        close(fd);
    put_done(carrier, whole, !whole);
}
