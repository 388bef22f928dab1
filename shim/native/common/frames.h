#ifndef CLAWRDEN_FRAMES_H
#define CLAWRDEN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FRAMES_BUFFER = 64 * 1024,
    /* A frame of at most this many bytes is always delivered whole, a longer one in pieces. */
    FRAMES_WHOLE = 4096,
};

/* Frames that arrive on a descriptor. Initialize with zeros and set `fd`. */
struct frames {
    int fd;
    size_t start, end;
    bool open;
    uint8_t type;
    uint32_t total, taken;
    uint8_t buffer[FRAMES_BUFFER];
};

/* `length` bytes of a frame's payload of `total` bytes, from `offset` on. */
struct piece {
    uint8_t type;
    uint32_t total, offset;
    const uint8_t *bytes;
    size_t length;
};

enum frames_state { FRAMES_PIECE, FRAMES_WAIT, FRAMES_BROKEN };

/* Reads once. False at the end of the stream (errno 0), or if reading fails. On EAGAIN true, with nothing read. */
bool frames_read(struct frames *frames);

/* The next piece; it stays in the buffer. FRAMES_BROKEN: a frame over the limit; no later byte can be trusted. */
enum frames_state frames_peek(struct frames *frames, struct piece *piece);

/* Removes the first `length` bytes of the piece that was peeked. For a frame without payload `length` is 0. */
void frames_take(struct frames *frames, size_t length);

/* The next byte between two frames (it may belong to no frame); the type inside a frame; -1 if no byte has come. */
int frames_raw(const struct frames *frames);
void frames_skip_raw(struct frames *frames);

#endif
