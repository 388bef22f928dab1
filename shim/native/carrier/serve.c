#include "serve.h"

#include "area.h"
#include "clear.h"
#include "commit.h"
#include "dirty.h"
#include "forget.h"
#include "goes-on.h"
#include "guard.h"
#include "measure.h"
#include "reader.h"
#include "read-bytes.h"
#include "receive.h"
#include "saved.h"
#include "send.h"
#include "settle.h"
#include "start.h"
#include "state-frames.h"
#include "take.h"
#include "unfinished.h"
#include "verify.h"

enum { SETTLE_ALL = 1, SETTLE_TRUST = 2, SETTLE_CHECK = 4 };

static void serve_settle(struct carrier *carrier, struct reader *reader)
{
    uint8_t how = read_u8(reader);
    if (!read_all(reader) || how > (SETTLE_ALL | SETTLE_TRUST | SETTLE_CHECK)) {
        tell_refused(carrier, "bad-frame: settle");
        return;
    }
    if (how & SETTLE_CHECK)
        background_look(carrier);
    else
        settle(carrier, how & SETTLE_ALL);
    if (how & SETTLE_TRUST)
        guard_trust(carrier);
    forget_gone(carrier);
    late_look(carrier);
    if (carrier->index.failed)
        tell_refused(carrier, state_wrong(carrier));
    else
        tell_state(carrier, FRAME_STATE);
}

/* The other side has everything that was sent, but what is named. */
static void serve_acknowledge(struct carrier *carrier, struct reader *reader)
{
    struct index *index = &carrier->index;
    char path[PATH_MOST + 1];
    uint64_t epoch = read_u64(reader), seq = read_u64(reader);
    for (uint32_t left = read_u32(reader); left > 0 && !reader->bad; left--) {
        read_text(reader, path, PATH_MOST);
        struct entry *entry = index_at(index, path);
        if (!entry)
            continue;
        index_unstable(index, entry);
        entry->flags |= ENTRY_UNSENT;
    }
    if (!read_all(reader)) {
        tell_failed(carrier, "bad-entry: what home did not take is not well formed");
    } else if (!index->keeps_base || index->seq != index->sent) {
        tell_failed(carrier, "version-unknown: what was sent is not what is acknowledged");
    } else {
        dirty_acknowledge(index);
        index->at_epoch = epoch;
        index->at_seq = seq;
        carrier->unsaved = true;
        saved_open(carrier);
        tell_state(carrier, FRAME_STATE);
    }
}

static void serve_abort(struct carrier *carrier)
{
    exchange_end(carrier);
    area_remove(carrier, "stage");
    tell_state(carrier, FRAME_STATE);
}

static void serve_verify(struct carrier *carrier)
{
    if (carrier->receiving)
        verify(carrier);
    else
        tell_refused(carrier, "bad-frame: verify of nothing");
}

static void serve_known(struct carrier *carrier, const struct frame *frame)
{
    struct reader reader = reader_of(frame->payload, frame->length);
    if (frame->type != FRAME_WANT)
        carrier->background.sent = false;
    switch (frame->type) {
    case FRAME_SETTLE:
        serve_settle(carrier, &reader);
        break;
    case FRAME_CHANGES:
        send_changes(carrier, &reader);
        break;
    case FRAME_WANT:
        send_wanted(carrier, &reader);
        break;
    case FRAME_BEGIN:
        receive_begin(carrier, &reader);
        break;
    case FRAME_ENTRY:
        receive_entry(carrier, frame);
        break;
    case FRAME_CHUNK:
        receive_chunk(carrier, &reader);
        break;
    case FRAME_VERIFY:
        serve_verify(carrier);
        break;
    case FRAME_COMMIT:
        commit(carrier);
        break;
    case FRAME_ABORT:
        serve_abort(carrier);
        break;
    case FRAME_ACKNOWLEDGE:
        serve_acknowledge(carrier, &reader);
        break;
    case FRAME_READ:
        serve_read(carrier, &reader);
        break;
    case FRAME_MEASURE:
        serve_measure(carrier, &reader);
        break;
    case FRAME_CLEAR:
        serve_clear(carrier, &reader);
        break;
    case FRAME_TAKE:
        serve_take(carrier, &reader);
        break;
    default:
        tell_refused(carrier, "bad-frame: a type that no carrier takes");
    }
}

/* What a replica knows of home must outlive it: without it all that is different looks like a conflict. */
static void save_behind(struct carrier *carrier, uint8_t type)
{
    if (!carrier->limits.replica || (type != FRAME_COMMIT && type != FRAME_ACKNOWLEDGE))
        return;
    stream_flush(&carrier->stream);
    saved_write_behind(carrier);
}

void serve(struct carrier *carrier, const struct frame *frame)
{
    goes_on_begin(carrier);
    if (carrier->limits.root[0]) {
        unfinished_told(carrier);
        serve_known(carrier, frame);
        save_behind(carrier, frame->type);
    } else if (frame->type == FRAME_HELLO) {
        start(carrier, frame);
    } else {
        tell_refused(carrier, "bad-frame: the first must be a hello");
    }
    goes_on_end(carrier);
}
