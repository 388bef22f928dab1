#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content.h"
#include "inodes.h"
#include "saved-format.h"
#include "saved.h"

static void read_record(struct reader *reader, struct record *record)
{
    record_read(reader, record);
    read_id(reader, record->xattrs);
    if (record->type > TYPE_LINK || record->size > (uint64_t)BLOCKS_MOST * BLOCK_BYTES)
        reader->bad = true;
}

static void read_base(struct reader *reader, struct entry *entry)
{
    entry->base = calloc(1, sizeof *entry->base);
    if (entry->base)
        read_record(reader, entry->base);
    else
        reader->bad = true;
}

static void read_blocks(struct reader *reader, struct entry *entry)
{
    size_t length = (size_t)block_count(entry->now.size) * SHA256_BYTES;
    const uint8_t *bytes = read_bytes(reader, length);
    entry->blocks = bytes && length > 0 ? malloc(length) : NULL;
    if (entry->blocks)
        memcpy(entry->blocks, bytes, length);
    else
        reader->bad = true;
}

static void read_facts(struct index *index, struct reader *reader, struct entry *entry)
{
    uint64_t inode = read_u64(reader);
    entry->ctime = (int64_t)read_u64(reader);
    entry->looked = (int64_t)read_u64(reader);
    entry->seq = read_u64(reader);
    if (entry->seq > index->seq)
        reader->bad = true;
    if (entry->now.type == TYPE_FILE)
        inodes_join(index, entry, inode);
    else
        entry->inode = inode;
}

static void raise_below(struct entry *entry)
{
    uint64_t seq = entry->seq;
    for (; entry; entry = entry->parent) {
        entry->flags |= ENTRY_STALE;
        if (entry->below < seq)
            entry->below = seq;
    }
}

static void count_in(struct index *index, const struct entry *entry)
{
    if (entry_alive(entry)) {
        index->entries++;
        index->bytes += entry->now.size;
    } else if (entry->seq > 0) {
        index->gone++;
    }
}

static void read_below(struct index *index, struct reader *reader, struct entry *folder, uint32_t depth);

static void read_entry(struct index *index, struct reader *reader, struct entry *folder, uint8_t flags, uint32_t depth)
{
    size_t length = read_u8(reader);
    const uint8_t *name = read_bytes(reader, length);
    bool root = !folder;
    if (!name || root != (length == 0) || memchr(name, 0, length) || memchr(name, '/', length)) {
        reader->bad = true;
        return;
    }
    struct entry *entry = root ? index->root : index_add(index, folder, (const char *)name, length);
    if (!entry || entry->seq > 0 || entry_alive(entry)) {
        reader->bad = true;
        return;
    }
    read_record(reader, &entry->now);
    read_facts(index, reader, entry);
    if (flags & SAVED_BASE && !reader->bad)
        read_base(reader, entry);
    if (flags & SAVED_BLOCKS && !reader->bad)
        read_blocks(reader, entry);
    index_unreadable(index, entry, flags & SAVED_UNREADABLE);
    entry->flags |= (uint8_t)(flags & SAVED_UNSTABLE ? ENTRY_UNSTABLE : 0);
    raise_below(entry);
    count_in(index, entry);
    read_below(index, reader, entry, depth + 1);
}

static void read_below(struct index *index, struct reader *reader, struct entry *folder, uint32_t depth)
{
    while (!reader->bad) {
        uint8_t flags = read_u8(reader);
        if (flags == SAVED_END)
            return;
        if (!(flags & SAVED_ENTRY) || depth > DEPTH_MOST + 1)
            reader->bad = true;
        else
            read_entry(index, reader, folder, flags, depth);
    }
}

static bool checksum_holds(const uint8_t *bytes, size_t length)
{
    uint8_t digest[SHA256_BYTES];
    if (length < sizeof SAVED_MAGIC + SHA256_BYTES || memcmp(bytes, SAVED_MAGIC, sizeof SAVED_MAGIC) != 0)
        return false;
    bytes_id(bytes, length - SHA256_BYTES, digest);
    return memcmp(digest, bytes + length - SHA256_BYTES, SHA256_BYTES) == 0;
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

static bool read_index(struct carrier *carrier, const uint8_t *bytes, size_t length)
{
    struct index *index = &carrier->index;
    struct reader reader = reader_of(bytes + sizeof SAVED_MAGIC, length - sizeof SAVED_MAGIC - SHA256_BYTES);
    uint64_t epoch = read_u64(&reader), fresh = index->epoch;
    index->seq = read_u64(&reader);
    index->floor = read_u64(&reader);
    index->at_epoch = read_u64(&reader);
    index->at_seq = read_u64(&reader);
    index->guarded = read_u64(&reader);
    uint64_t device = read_u64(&reader);
    uint8_t flags = read_u8(&reader);
    if (flags & SAVED_ENTRY)
        read_entry(index, &reader, NULL, flags, 0);
    index->next = index->seq + 1;
    /* A version that was told and is not on the disk must never be told of something else. */
    index->epoch = state_is_clean(carrier, epoch, index->seq) ? epoch : fresh;
    return read_all(&reader) && device == carrier->device && index->root->now.type == TYPE_FOLDER && !index->failed;
}

void saved_load(struct carrier *carrier)
{
    struct stat status;
    bool replica = carrier->limits.replica;
    int fd = openat(carrier->area, "index", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    size_t length = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
    /* Read and not mapped: who shortens the file would end the carrier. */
    uint8_t *bytes = length > 0 && length <= carrier->limits.entries * 4096 ? malloc(length) : NULL;
    bool whole = bytes && read_at(fd, bytes, length, 0) == (ssize_t)length && checksum_holds(bytes, length);
    carrier->remembered = whole && read_index(carrier, bytes, length);
    if (whole && !carrier->remembered) {
        index_end(&carrier->index);
        carrier->index.failed = !index_begin(&carrier->index, replica);
    }
    free(bytes);
    if (fd >= 0)
        close(fd);
    carrier->on_disk = true;
}
