#include "saved-reader.h"

#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "saved-format.h"

void loading_begin(struct loading *loading, uint64_t at, uint64_t end)
{
    loading->at = at;
    loading->end = end;
    loading->reader = reader_of(loading->buffer, 0);
    sha256_begin(&loading->hash);
}

void loading_need(struct loading *loading, size_t length)
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

uint8_t loading_flags(struct loading *loading)
{
    loading_need(loading, 1);
    return read_u8(&loading->reader);
}

void loading_numbers(struct loading *loading)
{
    struct index *index = loading->index;
    struct reader *reader = &loading->reader;
    loading_need(loading, SAVED_NUMBERS + FORMER_MOST * SAVED_FORMER);
    loading->epoch = read_u64(reader);
    index->seq = read_u64(reader);
    index->floor = read_u64(reader);
    index->at_epoch = read_u64(reader);
    index->at_seq = read_u64(reader);
    index->guarded = read_u64(reader);
    loading->device = read_u64(reader);
    uint64_t count = read_u64(reader);
    reader->bad |= count > FORMER_MOST;
    index->former_count = reader->bad ? 0 : (uint32_t)count;
    for (uint32_t i = 0; i < index->former_count; i++) {
        index->former[i].epoch = read_u64(reader);
        index->former[i].seq = read_u64(reader);
    }
    /* It would not count much further. */
    reader->bad |= index->seq > UINT32_MAX / 2;
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
    loading_need(loading, length);
    const uint8_t *bytes = read_bytes(&loading->reader, length);
    uint8_t (*blocks)[SHA256_BYTES] = bytes && length > 0 ? malloc(length) : NULL;
    if (blocks)
        memcpy(blocks, bytes, length);
    else
        loading->reader.bad = true;
    index_blocks(loading->index, entry, blocks);
}

static void set_flags(struct index *index, struct entry *entry, uint8_t flags)
{
    uint32_t others = entry->flags & ~(uint32_t)(ENTRY_UNSTABLE | ENTRY_BELIEVED | ENTRY_MISSED | ENTRY_LEFT);
    index_unreadable(index, entry, flags & SAVED_UNREADABLE);
    others = (others & ~(uint32_t)ENTRY_UNREADABLE) | (entry->flags & ENTRY_UNREADABLE);
    others |= (flags & SAVED_MISSED ? ENTRY_MISSED : 0) | (flags & SAVED_LEFT ? ENTRY_LEFT : 0);
    entry->flags = (uint16_t)(others | (flags & SAVED_UNSTABLE ? ENTRY_UNSTABLE : 0) | (flags & SAVED_BELIEVED ? ENTRY_BELIEVED : 0));
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

void loading_facts(struct loading *loading, struct entry *entry, uint8_t flags)
{
    struct index *index = loading->index;
    struct reader *reader = &loading->reader;
    struct record now, base;
    loading_need(loading, 2 * RECORD_BYTES + 3 * 8);
    read_record(reader, &now);
    uint64_t inode = read_u64(reader);
    int64_t ctime = (int64_t)read_u64(reader);
    uint64_t seq = read_u64(reader);
    reader->bad |= seq > index->seq;
    if (flags & SAVED_BASE)
        read_record(reader, &base);
    /* A file above one block is sent by the ids of its blocks. */
    reader->bad |= now.type == TYPE_FILE && block_count(now.size) > 0 && !(flags & SAVED_BLOCKS);
    if (reader->bad)
        return;
    index_take_up(index, entry, &now, (uint32_t)seq);
    index_facts(index, entry, inode, ctime);
    index_base(index, entry, flags & SAVED_BASE ? &base : NULL);
    set_flags(index, entry, flags);
    raise_below(entry);
    if (flags & SAVED_BLOCKS)
        read_blocks(loading, entry);
    else
        index_blocks(index, entry, NULL);
}

bool loading_holds(struct loading *loading, uint8_t checksum[SHA256_BYTES])
{
    uint8_t said[SHA256_BYTES];
    if (!read_all(&loading->reader) || loading->at != loading->end)
        return false;
    sha256_end_bytes(&loading->hash, checksum);
    return read_at(loading->fd, said, sizeof said, loading->end) == sizeof said && memcmp(checksum, said, sizeof said) == 0;
}
