/* Feeds generated streams to the frame reader and compares its result with a reader that has the whole stream. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frames.h"
#include "wire.h"

enum { FEW_FRAMES = 6, MANY_FRAMES = 100, MOST_BYTES = FEW_FRAMES * (FRAME_HEADER + FRAME_MAX) };
enum { MOST_AT_ONCE = 32 * 1024, MOST_ACKS = 3 };

struct stream {
    size_t acks, length;
    uint8_t bytes[MOST_ACKS + MOST_BYTES];
};

struct check {
    uint64_t seed;
    /* The beginning of the current frame, and how much of its payload was taken. */
    size_t at, taken;
    unsigned long frames, broken;
};

static uint64_t state;

static uint32_t below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) * limit >> 32);
}

static void expect(const struct check *check, bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "input %llu: %s, %zu bytes into the frame at %zu\n", (unsigned long long)check->seed, what, check->taken, check->at);
    abort();
}

/* Mostly a few bytes; sometimes near a size that the reader delivers whole, the size that it can hold, or the limit.
 */
static uint32_t some_length(void)
{
    static const uint32_t edges[] = {FRAMES_WHOLE, FRAMES_BUFFER - FRAME_HEADER, FRAMES_BUFFER};
    uint32_t kind = below(1000);
    if (kind < 940)
        return below(kind < 500 ? 8 : 200);
    if (kind < 999)
        return edges[below(3)] - 3 + below(7);
    return below(4) == 0 ? FRAME_MAX - below(2) : below(FRAME_MAX);
}

static void add_frame(struct stream *stream, uint32_t length)
{
    uint8_t *at = stream->bytes + stream->length;
    at[0] = (uint8_t)below(24);
    put_u32(at + 1, length);
    for (uint32_t i = 0, first = below(256); i < length; i++)
        at[FRAME_HEADER + i] = (uint8_t)(first + i * 7 + (i >> 8));
    stream->length += FRAME_HEADER + length;
}

static void damage(struct stream *stream)
{
    size_t early = stream->length < 64 ? stream->length : 64;
    for (uint32_t times = below(4); times > 0 && early > stream->acks; times--)
        stream->bytes[stream->acks + below((uint32_t)(early - stream->acks))] = (uint8_t)below(256);
    if (below(3) == 0)
        stream->length = stream->acks + below((uint32_t)(stream->length - stream->acks) + 1);
}

static void make_stream(struct stream *stream)
{
    stream->acks = below(MOST_ACKS + 1);
    stream->length = stream->acks;
    for (size_t i = 0; i < stream->acks; i++)
        stream->bytes[i] = (uint8_t)below(4);
    if (below(50) > 0)
        for (uint32_t count = below(FEW_FRAMES + 1); count > 0; count--)
            add_frame(stream, some_length());
    else
        for (uint32_t count = below(MANY_FRAMES); count > 0; count--)
            add_frame(stream, below(FRAMES_WHOLE + 100));
    if (below(2) == 0)
        damage(stream);
}

static bool skip_acks(struct frames *frames, const struct stream *stream, struct check *check)
{
    while (check->at < stream->acks) {
        int raw = frames_raw(frames);
        if (raw < 0)
            return false;
        expect(check, raw == stream->bytes[check->at], "another ack");
        frames_skip_raw(frames);
        check->at++;
    }
    return true;
}

static void check_piece(const struct stream *stream, struct check *check, const struct piece *piece)
{
    const uint8_t *header = stream->bytes + check->at;
    expect(check, check->at + FRAME_HEADER <= stream->length, "a frame that nobody sent");
    expect(check, piece->type == header[0] && piece->total == get_u32(header + 1), "another header");
    expect(check, piece->total <= FRAME_MAX, "a frame over the limit");
    expect(check, piece->offset == check->taken && piece->length <= piece->total - piece->offset, "a piece out of place");
    expect(check, piece->total > FRAMES_WHOLE || piece->offset + piece->length == piece->total, "a small frame in pieces");
    expect(check, check->at + FRAME_HEADER + check->taken + piece->length <= stream->length, "bytes that nobody sent");
    expect(check, memcmp(piece->bytes, header + FRAME_HEADER + check->taken, piece->length) == 0, "other bytes");
}

static void take_some(struct frames *frames, struct check *check, const struct piece *piece)
{
    size_t length = below(4) == 0 && piece->length > 0 ? 1 + below((uint32_t)piece->length) : piece->length;
    frames_take(frames, length);
    check->taken += length;
    if (check->taken < piece->total)
        return;
    check->at += FRAME_HEADER + piece->total;
    check->taken = 0;
    check->frames++;
}

static bool is_broken(const struct stream *stream, const struct check *check)
{
    return check->at + FRAME_HEADER <= stream->length && get_u32(stream->bytes + check->at + 1) > FRAME_MAX;
}

/* False once no later byte can be trusted. */
static bool read_frames(struct frames *frames, const struct stream *stream, struct check *check)
{
    struct piece piece;
    enum frames_state found = FRAMES_WAIT;
    if (!skip_acks(frames, stream, check))
        return true;
    while ((found = frames_peek(frames, &piece)) == FRAMES_PIECE) {
        check_piece(stream, check, &piece);
        take_some(frames, check, &piece);
    }
    expect(check, found != FRAMES_BROKEN || is_broken(stream, check), "refused for nothing");
    return found == FRAMES_WAIT;
}

/* Every complete frame was seen, and of an incomplete one nothing that is not there. */
static void check_end(const struct stream *stream, const struct check *check)
{
    size_t left = stream->length - check->at;
    if (left < FRAME_HEADER)
        return;
    uint32_t total = get_u32(stream->bytes + check->at + 1);
    expect(check, total <= FRAME_MAX, "not refused");
    expect(check, left < FRAME_HEADER + (size_t)total, "a frame was not seen");
    expect(check, total <= FRAMES_WHOLE || check->taken == left - FRAME_HEADER, "bytes were not seen");
}

static void feed(struct frames *frames, int to, const struct stream *stream, struct check *check)
{
    for (size_t sent = 0; sent < stream->length;) {
        size_t rest = stream->length - sent;
        size_t most = 1 + below(below(4) == 0 ? 16 : MOST_AT_ONCE);
        ssize_t wrote = write(to, stream->bytes + sent, rest < most ? rest : most);
        sent += wrote > 0 ? (size_t)wrote : 0;
        expect(check, frames_read(frames), "the stream ended");
        if (!read_frames(frames, stream, check)) {
            check->broken++;
            return;
        }
    }
    /* What had no room at first. */
    for (errno = 0; frames_read(frames) && errno != EAGAIN; errno = 0)
        if (!read_frames(frames, stream, check)) {
            check->broken++;
            return;
        }
    check_end(stream, check);
}

static void try_input(struct frames *frames, struct stream *stream, struct check *check)
{
    int ends[2];
    state = check->seed * 0x9e3779b97f4a7c15ull + 1;
    make_stream(stream);
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0)
        abort();
    frames->fd = ends[0];
    frames->start = frames->end = 0;
    frames->open = false;
    check->at = check->taken = 0;
    feed(frames, ends[1], stream, check);
    close(ends[0]);
    close(ends[1]);
}

int main(int argc, char **argv)
{
    static struct frames frames;
    static struct stream stream;
    struct check check = {0};
    if (argc != 3) {
        fputs("usage: fuzz-frames FIRST COUNT\n", stderr);
        return 2;
    }
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (check.seed = first; check.seed < first + count; check.seed++)
        try_input(&frames, &stream, &check);
    printf("%llu inputs: %lu frames, %lu streams refused\n", (unsigned long long)count, check.frames, check.broken);
    return 0;
}
