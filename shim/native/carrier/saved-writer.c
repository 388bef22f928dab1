#include "saved-writer.h"

#include <string.h>
#include <unistd.h>

#include "content.h"
#include "saved-format.h"
#include "wire.h"

void writer_begin(struct writer *writer, int fd, uint64_t at)
{
    writer->fd = fd;
    writer->at = at;
    writer->failed = fd < 0;
    writer->held = 0;
    sha256_begin(&writer->hash);
}

static void write_held(struct writer *writer)
{
    size_t sent = 0;
    while (sent < writer->held && !writer->failed) {
        ssize_t wrote = pwrite(writer->fd, writer->bytes + sent, writer->held - sent, (off_t)writer->at);
        writer->failed = wrote <= 0;
        sent += wrote > 0 ? (size_t)wrote : 0;
        writer->at += wrote > 0 ? (uint64_t)wrote : 0;
    }
    writer->held = 0;
}

void writer_add(struct writer *writer, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    sha256_add(&writer->hash, at, length);
    while (length > 0 && !writer->failed) {
        size_t room = sizeof writer->bytes - writer->held, part = length < room ? length : room;
        memcpy(writer->bytes + writer->held, at, part);
        writer->held += part;
        at += part;
        length -= part;
        if (writer->held == sizeof writer->bytes)
            write_held(writer);
    }
}

static void add_u64(struct writer *writer, uint64_t value)
{
    uint8_t bytes[8];
    put_u64(bytes, value);
    writer_add(writer, bytes, sizeof bytes);
}

static void add_record(struct writer *writer, const struct record *record)
{
    uint8_t bytes[RECORD_BYTES];
    record_put(record, bytes);
    writer_add(writer, bytes, sizeof bytes);
}

void writer_numbers(struct writer *writer, const struct carrier *carrier)
{
    const struct index *index = &carrier->index;
    const uint64_t numbers[] = {index->epoch, index->seq, index->floor, index->at_epoch, index->at_seq, index->guarded, carrier->device,
                                index->former_count};
    _Static_assert(sizeof numbers == SAVED_NUMBERS, "as many as are read");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_u64(writer, numbers[i]);
    for (uint32_t i = 0; i < index->former_count; i++) {
        add_u64(writer, index->former[i].epoch);
        add_u64(writer, index->former[i].seq);
    }
}

void writer_path(struct writer *writer, const char *path)
{
    uint8_t length[2];
    put_u16(length, (uint16_t)strlen(path));
    writer_add(writer, length, sizeof length);
    writer_add(writer, path, strlen(path));
}

uint8_t writer_flags(const struct entry *entry)
{
    return (uint8_t)(SAVED_ENTRY | (entry->base ? SAVED_BASE : 0) | (entry_blocks(entry) ? SAVED_BLOCKS : 0)
                     | (entry->flags & ENTRY_UNREADABLE ? SAVED_UNREADABLE : 0)
                     | (entry->flags & ENTRY_UNSTABLE ? SAVED_UNSTABLE : 0)
                     | (entry->flags & ENTRY_BELIEVED ? SAVED_BELIEVED : 0)
                     | (entry->flags & ENTRY_MISSED ? SAVED_MISSED : 0)
                     | (entry->flags & ENTRY_LEFT ? SAVED_LEFT : 0));
}

void writer_facts(struct writer *writer, const struct entry *entry)
{
    struct record now = entry_now(entry), base;
    add_record(writer, &now);
    add_u64(writer, entry_inode(entry));
    add_u64(writer, (uint64_t)entry_ctime(entry));
    add_u64(writer, entry->seq);
    if (entry_base(entry, &base))
        add_record(writer, &base);
    if (entry_blocks(entry))
        writer_add(writer, entry_blocks(entry), (size_t)block_count(now.size) * SHA256_BYTES);
}

bool writer_end(struct writer *writer, uint8_t checksum[SHA256_BYTES])
{
    struct sha256 all = writer->hash;
    sha256_end_bytes(&all, checksum);
    writer_add(writer, checksum, SHA256_BYTES);
    write_held(writer);
    return !writer->failed;
}
