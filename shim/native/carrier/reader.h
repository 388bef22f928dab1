/* Reads a frame's payload. Nothing is believed beyond the bytes that are there; `bad` stays set once something was missing. */
#ifndef CLAWRDEN_CARRIER_READER_H
#define CLAWRDEN_CARRIER_READER_H

#include <string.h>

#include "wire.h"
#include "words.h"

struct reader {
    const uint8_t *at, *end;
    bool bad;
};

static inline struct reader reader_of(const uint8_t *bytes, size_t length)
{
    return (struct reader){bytes, bytes + length, false};
}

static inline const uint8_t *read_bytes(struct reader *reader, size_t length)
{
    if (reader->bad || (size_t)(reader->end - reader->at) < length) {
        reader->bad = true;
        return NULL;
    }
    const uint8_t *bytes = reader->at;
    reader->at += length;
    return bytes;
}

static inline uint8_t read_u8(struct reader *reader)
{
    const uint8_t *at = read_bytes(reader, 1);
    return at ? *at : 0;
}

static inline uint16_t read_u16(struct reader *reader)
{
    const uint8_t *at = read_bytes(reader, 2);
    return at ? get_u16(at) : 0;
}

static inline uint32_t read_u32(struct reader *reader)
{
    const uint8_t *at = read_bytes(reader, 4);
    return at ? get_u32(at) : 0;
}

static inline uint64_t read_u64(struct reader *reader)
{
    const uint8_t *at = read_bytes(reader, 8);
    return at ? get_u64(at) : 0;
}

static inline void read_id(struct reader *reader, uint8_t id[SHA256_BYTES])
{
    const uint8_t *at = read_bytes(reader, SHA256_BYTES);
    if (at)
        memcpy(id, at, SHA256_BYTES);
}

/* u16 length and as many bytes, at most `most` and none of them a NUL, into `text` of most + 1 bytes. */
static inline void read_text(struct reader *reader, char *text, size_t most)
{
    size_t length = read_u16(reader);
    const uint8_t *bytes = length <= most ? read_bytes(reader, length) : NULL;
    text[0] = 0;
    if (!bytes || memchr(bytes, 0, length)) {
        reader->bad = true;
        return;
    }
    memcpy(text, bytes, length);
    text[length] = 0;
}

static inline bool read_all(const struct reader *reader)
{
    return !reader->bad && reader->at == reader->end;
}

#endif
