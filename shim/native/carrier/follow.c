#include "follow.h"

#include "dirty.h"
#include "look.h"
#include "reader.h"
#include "settle.h"
#include "state-frames.h"

/* The client hears that the carrier lives. */
enum { SILENT_MS = 30 * 1000, INTERVAL_MOST_MS = 3600 * 1000 };

static void answer(struct carrier *carrier, bool changed)
{
    struct stream *stream = &carrier->stream;
    carrier->follow.active = false;
    uint64_t dirty = dirty_count(&carrier->index);
    stream_begin(stream, FRAME_CHANGED);
    stream_put_u8(stream, changed);
    stream_put_u64(stream, carrier->index.epoch);
    stream_put_u64(stream, carrier->index.seq);
    stream_put_u64(stream, dirty);
    stream_end(stream);
    if (changed)
        follow_told(carrier);
    stream_flush(stream);
}

void follow_told(struct carrier *carrier)
{
    carrier->follow.told = carrier->index.seq;
}

void follow_serve(struct carrier *carrier, struct reader *reader)
{
    struct follow *follow = &carrier->follow;
    uint32_t interval = read_u32(reader);
    bool stops = interval == 0;
    if (!read_all(reader) || interval > INTERVAL_MOST_MS || carrier->receiving || (follow->active && !stops)) {
        tell_refused(carrier, "bad-frame: follow");
        return;
    }
    if (stops) {
        /* It may have been told just then. */
        if (follow->active)
            answer(carrier, false);
        return;
    }
    follow->active = true;
    follow->interval_ms = interval;
    follow->since = monotonic_ms();
}

/* Somebody wrote, as far as the kernel says; without its word it has to be looked at. */
static bool may_have_changed(const struct carrier *carrier)
{
    const struct index *index = &carrier->index;
    return index->queued > 0 || carrier->rescan || carrier->notify < 0 || index->seq != carrier->follow.told;
}

static int until(int64_t time)
{
    int64_t left = time - monotonic_ms();
    return left < 0 ? 0 : (int)left;
}

int follow_wait_ms(const struct carrier *carrier)
{
    const struct follow *follow = &carrier->follow;
    if (!follow->active)
        return -1;
    int64_t silent = follow->since + SILENT_MS;
    return until(may_have_changed(carrier) && follow->next < silent ? follow->next : silent);
}

void follow_run(struct carrier *carrier)
{
    struct follow *follow = &carrier->follow;
    if (follow_wait_ms(carrier) != 0)
        return;
    if (may_have_changed(carrier) && until(follow->next) == 0) {
        follow->next = monotonic_ms() + follow->interval_ms;
        settle(carrier, false);
        if (carrier->index.seq != follow->told || state_wrong(carrier)) {
            answer(carrier, true);
            return;
        }
    }
    if (until(follow->since + SILENT_MS) == 0)
        answer(carrier, false);
}
