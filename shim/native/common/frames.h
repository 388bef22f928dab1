#ifndef CLAWRDEN_FRAMES_H
#define CLAWRDEN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FRAMES_BUFFER = 64 * 1024,
    /* A frame of at most this many bytes is always seen whole, a longer one in pieces. */
    FRAMES_WHOLE = 4096,
};

/* Frames arriving on a descriptor. Start from zero with `fd` set. */
struct frames {
    int fd;
    size_t start, end;
    bool open;
    uint8_t type;
    uint32_t total, taken;
    uint8_t buffer[FRAMES_BUFFER];
};

/* `length` bytes of a frame's payload of `total` bytes, `offset` bytes into it. */
struct piece {
    uint8_t type;
    uint32_t total, offset;
    const uint8_t *bytes;
    size_t length;
};

enum frames_state { FRAMES_PIECE, FRAMES_WAIT, FRAMES_BROKEN };

/* One read. False at the end of the stream, with errno 0, or where reading fails. True with nothing read on EAGAIN. */
bool frames_read(struct frames *frames);

/* The next piece, without taking it. FRAMES_BROKEN: a frame over the limit; nothing after it can be trusted. */
enum frames_state frames_peek(struct frames *frames, struct piece *piece);

/* Takes the first `length` bytes of the piece that was peeked. A frame without payload is taken by 0. */
void frames_take(struct frames *frames, size_t length);

/* Between two frames: the next byte, which may be none of a frame's; inside one: its type; -1 where none has come. */
int frames_raw(const struct frames *frames);
void frames_skip_raw(struct frames *frames);

#endif
