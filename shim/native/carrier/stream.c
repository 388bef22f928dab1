#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

bool stream_read(struct stream *stream)
{
    size_t held = stream->in_end - stream->in_start;
    if (stream->in_start > 0) {
        memmove(stream->in_bytes, stream->in_bytes + stream->in_start, held);
        stream->in_start = 0;
        stream->in_end = held;
    }
    if (stream->in_end == STREAM_IN)
        return true;
    ssize_t got = read(stream->in, stream->in_bytes + stream->in_end, STREAM_IN - stream->in_end);
    if (got > 0)
        stream->in_end += (size_t)got;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

bool stream_asked(const struct stream *stream)
{
    struct pollfd polled = {.fd = stream->in, .events = POLLIN};
    return stream->in_end > stream->in_start || poll(&polled, 1, 0) > 0;
}

bool stream_next(struct stream *stream, struct frame *frame)
{
    size_t held = stream->in_end - stream->in_start;
    const uint8_t *header = stream->in_bytes + stream->in_start;
    if (stream->broken || held < FRAME_HEADER)
        return false;
    uint32_t length = get_u32(header + 1);
    if (length > FRAME_MAX) {
        stream->broken = true;
        return false;
    }
    if (held < FRAME_HEADER + (size_t)length)
        return false;
    *frame = (struct frame){header[0], header + FRAME_HEADER, length};
    stream->in_start += FRAME_HEADER + (size_t)length;
    return true;
}

/* Until the other side takes more, or goes. What happens in the tree meanwhile is taken note of. */
static void wait_for_reader(struct stream *stream)
{
    struct pollfd polled[2] = {{.fd = stream->out, .events = POLLOUT}, {.fd = stream->beside, .events = POLLIN}};
    if (poll(polled, stream->look_beside ? 2 : 1, -1) < 0 && errno != EINTR)
        stream->broken = true;
    if (stream->look_beside && polled[1].revents & POLLIN)
        stream->look_beside(stream->context);
}

static void write_out(struct stream *stream, size_t length)
{
    for (size_t sent = 0; sent < length && !stream->broken;) {
        ssize_t wrote = write(stream->out, stream->out_bytes + sent, length - sent);
        if (wrote > 0)
            sent += (size_t)wrote;
        else if (wrote < 0 && errno == EAGAIN)
            wait_for_reader(stream);
        else if (wrote < 0 && errno != EINTR)
            stream->broken = true;
    }
    memmove(stream->out_bytes, stream->out_bytes + length, stream->out_end - length);
    stream->out_end -= length;
}

void stream_flush(struct stream *stream)
{
    write_out(stream, stream->out_end);
}

void stream_begin(struct stream *stream, uint8_t type)
{
    /* Behind what may be held there is room for one more frame, whatever its length. */
    if (stream->out_end > STREAM_HELD)
        stream_flush(stream);
    stream->out_bytes[stream->out_end] = type;
    stream->open = stream->out_end + FRAME_HEADER;
    stream->out_end = stream->open;
}

void stream_end(struct stream *stream)
{
    put_u32(stream->out_bytes + stream->open - 4, (uint32_t)(stream->out_end - stream->open));
    stream->open = 0;
}

void stream_hint(struct stream *stream, uint8_t type)
{
    if (stream->broken || stream->open > 0 || stream->out_end > STREAM_HELD)
        return;
    stream_begin(stream, type);
    stream_end(stream);
    ssize_t wrote = write(stream->out, stream->out_bytes, stream->out_end);
    if (wrote <= 0)
        return;
    memmove(stream->out_bytes, stream->out_bytes + wrote, stream->out_end - (size_t)wrote);
    stream->out_end -= (size_t)wrote;
}

size_t stream_room(const struct stream *stream)
{
    return STREAM_OUT - stream->out_end;
}

uint8_t *stream_hole(struct stream *stream, size_t length)
{
    if (stream_room(stream) < length || stream->open == 0)
        stream->broken = true;
    if (stream->broken)
        return NULL;
    uint8_t *hole = stream->out_bytes + stream->out_end;
    stream->out_end += length;
    return hole;
}

void stream_put(struct stream *stream, const void *bytes, size_t length)
{
    uint8_t *hole = stream_hole(stream, length);
    if (hole && length > 0)
        memcpy(hole, bytes, length);
}

void stream_put_u8(struct stream *stream, uint8_t value)
{
    stream_put(stream, &value, 1);
}

void stream_put_u16(struct stream *stream, uint16_t value)
{
    uint8_t bytes[2];
    put_u16(bytes, value);
    stream_put(stream, bytes, sizeof bytes);
}

void stream_put_u32(struct stream *stream, uint32_t value)
{
    uint8_t bytes[4];
    put_u32(bytes, value);
    stream_put(stream, bytes, sizeof bytes);
}

void stream_put_u64(struct stream *stream, uint64_t value)
{
    uint8_t bytes[8];
    put_u64(bytes, value);
    stream_put(stream, bytes, sizeof bytes);
}

void stream_put_text(struct stream *stream, const char *text)
{
    size_t length = strlen(text);
    stream_put_u16(stream, (uint16_t)length);
    stream_put(stream, text, length);
}
