#ifndef CLAWRDEN_CARRIER_STREAM_H
#define CLAWRDEN_CARRIER_STREAM_H

#include "wire.h"
#include "words.h"

enum { STREAM_IN = FRAME_HEADER + FRAME_MAX, STREAM_HELD = 256 * 1024, STREAM_OUT = STREAM_HELD + FRAME_HEADER + FRAME_MAX };

/* Frames in and out over two non-blocking descriptors. Start from zero with both descriptors set. */
struct stream {
    int in, out;
    /* The other side is gone, or breaks the rules. */
    bool broken;
    /* What is looked after while the other side does not read. */
    int beside;
    void (*look_beside)(void *context);
    void *context;
    size_t in_start, in_end, out_end;
    /* The frame that is being written: where its payload began, or 0. */
    size_t open;
    uint8_t in_bytes[STREAM_IN], out_bytes[STREAM_OUT];
};

struct frame {
    uint8_t type;
    const uint8_t *payload;
    size_t length;
};

/* One read. False at the end of the stream. */
bool stream_read(struct stream *stream);

/* Something came that was not served yet, or the other side is gone. */
bool stream_asked(const struct stream *stream);

/* The next whole frame, valid until the next read. False where none is there. */
bool stream_next(struct stream *stream, struct frame *frame);

/* Begins a frame, whose payload is all that is put until stream_end. What does not fit breaks the stream. */
void stream_begin(struct stream *stream, uint8_t type);
void stream_put(struct stream *stream, const void *bytes, size_t length);
void stream_end(struct stream *stream);

void stream_put_u8(struct stream *stream, uint8_t value);
void stream_put_u16(struct stream *stream, uint16_t value);
void stream_put_u32(struct stream *stream, uint32_t value);
void stream_put_u64(struct stream *stream, uint64_t value);
void stream_put_text(struct stream *stream, const char *text);

/* Payload bytes that still fit into the open frame. */
size_t stream_room(const struct stream *stream);

/* Room for `length` bytes of payload, to be filled by the caller; NULL where the stream is broken. */
uint8_t *stream_hole(struct stream *stream, size_t length);

/* A frame without a payload, and what is held, as far as it goes without waiting. Not within another frame. */
void stream_hint(struct stream *stream, uint8_t type);

/* Writes all that was put; waits for the other side as long as it is there. */
void stream_flush(struct stream *stream);

#endif
