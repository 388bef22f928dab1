#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "content.h"
#include "saved-format.h"
#include "saved.h"
#include "wire.h"

struct writer {
    int fd;
    bool failed;
    size_t held;
    struct sha256 hash;
    uint8_t bytes[64 * 1024];
};

static void write_held(struct writer *writer)
{
    size_t sent = 0;
    while (sent < writer->held && !writer->failed) {
        ssize_t wrote = write(writer->fd, writer->bytes + sent, writer->held - sent);
        writer->failed = wrote <= 0;
        sent += wrote > 0 ? (size_t)wrote : 0;
    }
    writer->held = 0;
}

static void add(struct writer *writer, const void *bytes, size_t length)
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
    add(writer, bytes, sizeof bytes);
}

static void add_record(struct writer *writer, const struct record *record)
{
    uint8_t bytes[RECORD_BYTES];
    record_put(record, bytes);
    add(writer, bytes, sizeof bytes);
}

static void add_entry(struct writer *writer, const struct entry *entry)
{
    struct record now = entry_now(entry), base;
    bool has_base = entry_base(entry, &base), has_blocks = entry_blocks(entry);
    uint8_t flags = (uint8_t)(SAVED_ENTRY | (has_base ? SAVED_BASE : 0) | (has_blocks ? SAVED_BLOCKS : 0)
                              | (entry->flags & ENTRY_UNREADABLE ? SAVED_UNREADABLE : 0)
                              | (entry->flags & ENTRY_UNSTABLE ? SAVED_UNSTABLE : 0)
                              | (entry->flags & ENTRY_BELIEVED ? SAVED_BELIEVED : 0));
    uint8_t head[2] = {flags, entry->length};
    add(writer, head, sizeof head);
    add(writer, entry->name, entry->length);
    add_record(writer, &now);
    add_u64(writer, entry_inode(entry));
    add_u64(writer, (uint64_t)entry_ctime(entry));
    add_u64(writer, entry->seq);
    if (has_base)
        add_record(writer, &base);
    if (has_blocks)
        add(writer, entry_blocks(entry), (size_t)block_count(now.size) * SHA256_BYTES);
    for (const struct entry *child = entry_child(entry); child; child = entry_next(child))
        add_entry(writer, child);
    uint8_t end = SAVED_END;
    add(writer, &end, 1);
}

static void write_all(struct carrier *carrier, struct writer *writer)
{
    const struct index *index = &carrier->index;
    uint8_t checksum[SHA256_BYTES];
    add(writer, SAVED_MAGIC, sizeof SAVED_MAGIC);
    const uint64_t numbers[] = {index->epoch, index->seq, index->floor, index->at_epoch, index->at_seq, index->guarded, carrier->device};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_u64(writer, numbers[i]);
    add_entry(writer, index->root);
    sha256_end_bytes(&writer->hash, checksum);
    add(writer, checksum, sizeof checksum);
    write_held(writer);
}

static bool write_state(struct carrier *carrier, const char *state)
{
    int fd = openat(carrier->area, "state.new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool done = fd >= 0 && write(fd, state, strlen(state)) == (ssize_t)strlen(state);
    if (fd >= 0)
        close(fd);
    return done && renameat(carrier->area, "state.new", carrier->area, "state") == 0;
}

void saved_open(struct carrier *carrier)
{
    if (carrier->on_disk)
        write_state(carrier, "open\n");
    carrier->on_disk = false;
}

void saved_write(struct carrier *carrier)
{
    static struct writer writer;
    char state[64];
    if (!carrier->unsaved || carrier->index.failed)
        return;
    carrier->unsaved = false;
    writer.held = 0;
    writer.failed = false;
    writer.fd = openat(carrier->area, "index.new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (writer.fd < 0)
        return;
    sha256_begin(&writer.hash);
    write_all(carrier, &writer);
    close(writer.fd);
    snprintf(state, sizeof state, "clean %llx %llu\n", (unsigned long long)carrier->index.epoch,
             (unsigned long long)carrier->index.seq);
    carrier->on_disk = !writer.failed && renameat(carrier->area, "index.new", carrier->area, "index") == 0
        && write_state(carrier, state);
}
