#include "serve.h"

#include "dirty.h"
#include "reader.h"
#include "settle.h"
#include "start.h"
#include "state-frames.h"

static void serve_settle(struct carrier *carrier, struct reader *reader)
{
    bool all = read_u8(reader) & 1;
    if (!read_all(reader)) {
        tell_refused(carrier, "bad-frame: settle");
        return;
    }
    settle(carrier, all);
    if (carrier->index.failed)
        tell_refused(carrier, state_wrong(carrier));
    else
        tell_state(carrier, FRAME_STATE);
}

static void serve_known(struct carrier *carrier, const struct frame *frame)
{
    struct reader reader = reader_of(frame->payload, frame->length);
    switch (frame->type) {
    case FRAME_SETTLE:
        serve_settle(carrier, &reader);
        break;
    default:
        tell_refused(carrier, "bad-frame: a type that no carrier takes");
    }
}

void serve(struct carrier *carrier, const struct frame *frame)
{
    if (carrier->limits.root[0])
        serve_known(carrier, frame);
    else if (frame->type == FRAME_HELLO)
        start(carrier, frame);
    else
        tell_refused(carrier, "bad-frame: the first must be a hello");
}
