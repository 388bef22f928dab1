#include "send-bytes.h"

void send_bytes(struct stream *stream, uint32_t number, uint64_t offset, const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    do {
        size_t part = length - at < CHUNK_MOST ? length - at : CHUNK_MOST;
        stream_begin(stream, FRAME_CHUNK);
        stream_put_u32(stream, number);
        stream_put_u64(stream, offset + at);
        stream_put(stream, bytes + at, part);
        stream_end(stream);
        at += part;
    } while (at < length && !stream->broken);
}
