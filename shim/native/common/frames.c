#include "frames.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "wire.h"

static void make_room(struct frames *frames)
{
    size_t held = frames->end - frames->start;
    if (held > 0 && frames->start > 0)
        memmove(frames->buffer, frames->buffer + frames->start, held);
    frames->start = 0;
    frames->end = held;
}

bool frames_read(struct frames *frames)
{
    if (frames->start == frames->end || frames->end == FRAMES_BUFFER)
        make_room(frames);
    if (frames->end == FRAMES_BUFFER)
        return true;
    ssize_t got = read(frames->fd, frames->buffer + frames->end, FRAMES_BUFFER - frames->end);
    if (got == 0)
        errno = 0;
    if (got > 0)
        frames->end += (size_t)got;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static enum frames_state open_frame(struct frames *frames)
{
    if (frames->end - frames->start < FRAME_HEADER)
        return FRAMES_WAIT;
    const uint8_t *header = frames->buffer + frames->start;
    uint32_t total = get_u32(header + 1);
    if (total > FRAME_MAX)
        return FRAMES_BROKEN;
    frames->type = header[0];
    frames->total = total;
    frames->taken = 0;
    frames->open = true;
    frames->start += FRAME_HEADER;
    return FRAMES_PIECE;
}

enum frames_state frames_peek(struct frames *frames, struct piece *piece)
{
    if (!frames->open) {
        enum frames_state state = open_frame(frames);
        if (state != FRAMES_PIECE)
            return state;
    }
    size_t held = frames->end - frames->start;
    size_t rest = frames->total - frames->taken;
    size_t length = held < rest ? held : rest;
    size_t wanted = frames->total <= FRAMES_WHOLE ? rest : 1;
    if (length < wanted) {
        if (frames->start + wanted > FRAMES_BUFFER)
            make_room(frames);
        return FRAMES_WAIT;
    }
    *piece = (struct piece){
        .type = frames->type,
        .total = frames->total,
        .offset = frames->taken,
        .bytes = frames->buffer + frames->start,
        .length = length,
    };
    return FRAMES_PIECE;
}

void frames_take(struct frames *frames, size_t length)
{
    frames->start += length;
    frames->taken += (uint32_t)length;
    if (frames->taken == frames->total)
        frames->open = false;
}

int frames_raw(const struct frames *frames)
{
    if (frames->open)
        return frames->type;
    return frames->start < frames->end ? frames->buffer[frames->start] : -1;
}

void frames_skip_raw(struct frames *frames)
{
    frames->start++;
}
