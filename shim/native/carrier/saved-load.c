#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content.h"
#include "saved-format.h"
#include "saved.h"

/* The file, a part of it at a time: all of a large index would take as much memory as what is made of it. */
struct loading {
    struct index *index;
    struct reader reader;
    int fd;
    /* Where the next part begins, and where the checksum does. */
    uint64_t at, end;
    uint8_t *buffer;
    struct sha256 hash;
};

/* So many bytes are in the reader, where the file has them. */
static void need(struct loading *loading, size_t length)
{
    struct reader *reader = &loading->reader;
    size_t held = (size_t)(reader->end - reader->at), room = BLOCK_BYTES - held;
    if (held >= length || reader->bad)
        return;
    memmove(loading->buffer, reader->at, held);
    uint64_t left = loading->end - loading->at;
    size_t part = left < room ? (size_t)left : room;
    if (read_at(loading->fd, loading->buffer + held, part, loading->at) != (ssize_t)part)
        part = 0;
    sha256_add(&loading->hash, loading->buffer + held, part);
    loading->at += part;
    reader->at = loading->buffer;
    reader->end = loading->buffer + held + part;
}

static void read_record(struct reader *reader, struct record *record)
{
    record_read(reader, record);
    read_id(reader, record->xattrs);
    if (record->type > TYPE_LINK || record->size > (uint64_t)BLOCKS_MOST * BLOCK_BYTES)
        reader->bad = true;
}

static void read_blocks(struct loading *loading, struct entry *entry)
{
    size_t length = (size_t)block_count(entry_size(entry)) * SHA256_BYTES;
    need(loading, length);
    const uint8_t *bytes = read_bytes(&loading->reader, length);
    uint8_t (*blocks)[SHA256_BYTES] = bytes && length > 0 ? malloc(length) : NULL;
    if (blocks)
        memcpy(blocks, bytes, length);
    else
        loading->reader.bad = true;
    index_blocks(loading->index, entry, blocks);
}

static void raise_below(struct entry *entry)
{
    uint32_t seq = entry->seq;
    for (; entry; entry = entry_parent(entry)) {
        entry->flags |= ENTRY_STALE;
        if (entry->below < seq)
            entry->below = seq;
    }
}

static void read_below(struct loading *loading, struct entry *folder, uint32_t depth);

static struct entry *read_name(struct loading *loading, struct entry *folder)
{
    struct index *index = loading->index;
    size_t length = read_u8(&loading->reader);
    const uint8_t *name = read_bytes(&loading->reader, length);
    bool root = !folder;
    if (!name || root != (length == 0) || memchr(name, 0, length) || memchr(name, '/', length))
        return NULL;
    struct entry *entry = root ? index->root : index_add(index, folder, (const char *)name, length);
    return entry && entry->seq == 0 && !entry_alive(entry) ? entry : NULL;
}

static void take_up(struct loading *loading, struct entry *entry, uint8_t flags)
{
    struct index *index = loading->index;
    struct reader *reader = &loading->reader;
    struct record now, base;
    read_record(reader, &now);
    uint64_t inode = read_u64(reader);
    int64_t ctime = (int64_t)read_u64(reader);
    uint64_t seq = read_u64(reader);
    if (seq > index->seq)
        reader->bad = true;
    if (flags & SAVED_BASE)
        read_record(reader, &base);
    if (reader->bad)
        return;
    entry->seq = (uint32_t)seq;
    index_take_up(index, entry, &now);
    index_facts(index, entry, inode, ctime);
    index_base(index, entry, flags & SAVED_BASE ? &base : NULL);
    index_unreadable(index, entry, flags & SAVED_UNREADABLE);
    entry->flags |= flags & SAVED_UNSTABLE ? ENTRY_UNSTABLE : 0;
    entry->flags |= flags & SAVED_BELIEVED ? ENTRY_BELIEVED : 0;
}

/* Name and records; the ids of blocks are asked for apart. */
enum { ENTRY_BYTES_MOST = 1 + NAME_MOST + 2 * RECORD_BYTES + 3 * 8 };

static void read_entry(struct loading *loading, struct entry *folder, uint8_t flags, uint32_t depth)
{
    need(loading, ENTRY_BYTES_MOST);
    struct entry *entry = read_name(loading, folder);
    if (!entry) {
        loading->reader.bad = true;
        return;
    }
    take_up(loading, entry, flags);
    if (flags & SAVED_BLOCKS && !loading->reader.bad)
        read_blocks(loading, entry);
    raise_below(entry);
    read_below(loading, entry, depth + 1);
}

static uint8_t read_flags(struct loading *loading)
{
    need(loading, 1);
    return read_u8(&loading->reader);
}

static void read_below(struct loading *loading, struct entry *folder, uint32_t depth)
{
    while (!loading->reader.bad) {
        uint8_t flags = read_flags(loading);
        if (flags == SAVED_END)
            return;
        if (!(flags & SAVED_ENTRY) || depth > DEPTH_MOST + 1)
            loading->reader.bad = true;
        else
            read_entry(loading, folder, flags, depth);
    }
}

static bool state_is_clean(struct carrier *carrier, uint64_t epoch, uint64_t seq)
{
    char state[64] = "", expected[64];
    int fd = openat(carrier->area, "state", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, state, sizeof state - 1);
    if (fd >= 0)
        close(fd);
    snprintf(expected, sizeof expected, "clean %llx %llu\n", (unsigned long long)epoch, (unsigned long long)seq);
    return got > 0 && strcmp(state, expected) == 0;
}

/* Nothing is left that the checksum is not of. */
static bool checksum_holds(struct loading *loading)
{
    uint8_t digest[SHA256_BYTES], said[SHA256_BYTES];
    if (!read_all(&loading->reader) || loading->at != loading->end)
        return false;
    sha256_end_bytes(&loading->hash, digest);
    return read_at(loading->fd, said, sizeof said, loading->end) == sizeof said && memcmp(digest, said, sizeof said) == 0;
}

static bool read_index(struct carrier *carrier, struct loading *loading)
{
    struct index *index = loading->index;
    struct reader *reader = &loading->reader;
    need(loading, sizeof SAVED_MAGIC + 7 * 8);
    const uint8_t *magic = read_bytes(reader, sizeof SAVED_MAGIC);
    if (!magic || memcmp(magic, SAVED_MAGIC, sizeof SAVED_MAGIC) != 0)
        return false;
    uint64_t epoch = read_u64(reader), fresh = index->epoch;
    index->seq = read_u64(reader);
    index->floor = read_u64(reader);
    index->at_epoch = read_u64(reader);
    index->at_seq = read_u64(reader);
    index->guarded = read_u64(reader);
    uint64_t device = read_u64(reader);
    /* It would not count much further. */
    if (index->seq > UINT32_MAX / 2)
        return false;
    uint8_t flags = read_flags(loading);
    if (flags & SAVED_ENTRY)
        read_entry(loading, NULL, flags, 0);
    index->next = index->seq + 1;
    /* A version that was told and is not on the disk must never be told of something else. */
    index->epoch = state_is_clean(carrier, epoch, index->seq) ? epoch : fresh;
    return checksum_holds(loading) && device == carrier->device && index->root->type == TYPE_FOLDER && !index->failed;
}

static bool load(struct carrier *carrier, int fd)
{
    struct stat status;
    uint64_t length = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    if (length < SHA256_BYTES || length > carrier->limits.entries * 4096)
        return false;
    /* Read and not mapped: who shortens the file would end the carrier. */
    struct loading loading = {.index = &carrier->index, .fd = fd, .end = length - SHA256_BYTES, .buffer = carrier->block};
    loading.reader = reader_of(carrier->block, 0);
    sha256_begin(&loading.hash);
    if (read_index(carrier, &loading))
        return true;
    /* Nothing of it is believed. */
    index_end(&carrier->index);
    carrier->index.failed = !index_begin(&carrier->index, carrier->limits.replica);
    return false;
}

void saved_load(struct carrier *carrier)
{
    int fd = openat(carrier->area, "index", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    carrier->remembered = load(carrier, fd);
    if (fd >= 0)
        close(fd);
    carrier->on_disk = true;
}
