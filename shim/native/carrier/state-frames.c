#include "state-frames.h"

#include <string.h>

#include "dirty.h"
#include "guard.h"
#include "settle.h"
#include "skip.h"
#include "tree-id.h"

enum { SAID_SCANS = 1, SAID_FULL = 2, SAID_LOST = 4, SAID_REMEMBERED = 8, SAID_SUSPECT = 16, SAID_UNCONFINED = 32 };

static uint8_t flags_of(const struct carrier *carrier)
{
    const struct index *index = &carrier->index;
    bool full = index->entries >= carrier->limits.entries || index->bytes > carrier->limits.bytes || index->full > 0;
    return (uint8_t)((carrier->watching ? 0 : SAID_SCANS) | (full ? SAID_FULL : 0)
                     | (root_lost(carrier) ? SAID_LOST : 0) | (carrier->remembered ? SAID_REMEMBERED : 0)
                     | (guard_suspects(carrier) ? SAID_SUSPECT : 0)
                     | (!carrier->jail.point && !carrier->limits.replica ? SAID_UNCONFINED : 0));
}

void put_tree(struct carrier *carrier)
{
    uint8_t *hole = stream_hole(&carrier->stream, SHA256_BYTES);
    if (hole)
        tree_id(&carrier->index, hole);
}

static uint16_t put_unstable(struct carrier *carrier)
{
    uint16_t told = 0;
    char path[PATH_MOST + 1];
    size_t most = carrier->stream.out_end + PATHS_TOLD_BYTES;
    for (size_t i = 0; i < carrier->index.queued && told < PATHS_TOLD && carrier->stream.out_end < most; i++) {
        const struct entry *entry = carrier->index.queue[i];
        if (!(entry->flags & ENTRY_UNSTABLE) || !entry_path(entry, path))
            continue;
        stream_put_text(&carrier->stream, path);
        told++;
    }
    return told;
}

void tell_state(struct carrier *carrier, uint8_t type)
{
    struct stream *stream = &carrier->stream;
    struct index *index = &carrier->index;
    uint64_t dirty = dirty_count(index) + (carrier->limits.replica && skip_holds_back(carrier));
    stream_begin(stream, type);
    stream_put_u8(stream, CARRIER_PROTOCOL);
    stream_put_u8(stream, flags_of(carrier));
    stream_put_u64(stream, index->epoch);
    stream_put_u64(stream, index->seq);
    put_tree(carrier);
    stream_put_u64(stream, index->entries);
    stream_put_u64(stream, index->bytes);
    stream_put_u64(stream, index->at_epoch);
    stream_put_u64(stream, index->at_seq);
    stream_put_u64(stream, dirty);
    uint8_t *count = stream_hole(stream, 2);
    uint16_t unstable = put_unstable(carrier);
    if (count)
        put_u16(count, unstable);
    skip_tell(carrier);
    late_tell(carrier);
    stream_put_u32(stream, carrier->background.looks);
    stream_put_u64(stream, carrier->background.missed);
    stream_end(stream);
}

static void tell_text(struct carrier *carrier, uint8_t type, const char *text)
{
    stream_begin(&carrier->stream, type);
    stream_put(&carrier->stream, text, strlen(text));
    stream_end(&carrier->stream);
}

void tell_failed(struct carrier *carrier, const char *why)
{
    tell_text(carrier, FRAME_FAILED, why);
}

void tell_refused(struct carrier *carrier, const char *why)
{
    tell_text(carrier, FRAME_CARRIER_REFUSED, why);
    carrier->stream.broken = false;
    stream_flush(&carrier->stream);
    carrier->stream.broken = true;
}

const char *state_wrong(const struct carrier *carrier)
{
    if (carrier->index.failed)
        return "carrier-failed: memory or descriptors ended, the workspace's folder cannot be read, or the kernel has no "
               "openat2 (Linux 5.6)";
    return root_lost(carrier) ? "workspace-suspect: the workspace is gone from its place, or another is in it" : NULL;
}

void put_done(struct carrier *carrier, uint32_t count, uint32_t unstable_count)
{
    struct stream *stream = &carrier->stream;
    stream_begin(stream, FRAME_DONE);
    stream_put_u64(stream, carrier->index.epoch);
    stream_put_u64(stream, carrier->index.seq);
    put_tree(carrier);
    stream_put_u32(stream, count);
    stream_put_u32(stream, unstable_count);
    stream_end(stream);
}
