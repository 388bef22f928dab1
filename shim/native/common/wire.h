/* The frame shape of the shim's socket and the init's stdio: u8 type, u32 length (big-endian), payload. */
#ifndef CLAWRDEN_WIRE_H
#define CLAWRDEN_WIRE_H

#include <stdint.h>

enum frame_type {
    FRAME_STDOUT = 1,
    FRAME_STDERR = 2,
    FRAME_EXIT = 3,
    FRAME_CANCEL = 4,
    FRAME_STDIN = 5,
    FRAME_SIGNAL = 6,
    FRAME_RESIZE = 7,
    FRAME_NOTICE = 8,
    FRAME_CREDIT = 9,
    FRAME_CLOSED = 10,
    FRAME_STOPPED = 11,
    FRAME_UNREAD = 12,
    FRAME_PLAN = 16,
    FRAME_READY = 17,
    FRAME_STARTED = 18,
    FRAME_REFUSED = 19,
    FRAME_OPERANDS = 20,
};

enum {
    FRAME_HEADER = 5,
    FRAME_MAX = 1024 * 1024,
    /* Most bytes of stdin that are granted and that the tool has not read yet. */
    STDIN_WINDOW = 256 * 1024,
};

static inline void put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void put_u32(uint8_t *at, uint32_t value)
{
    put_u16(at, (uint16_t)(value >> 16));
    put_u16(at + 2, (uint16_t)value);
}

static inline uint16_t get_u16(const uint8_t *at)
{
    return (uint16_t)((at[0] << 8) | at[1]);
}

static inline uint32_t get_u32(const uint8_t *at)
{
    return ((uint32_t)get_u16(at) << 16) | get_u16(at + 2);
}

static inline uint64_t get_u64(const uint8_t *at)
{
    return ((uint64_t)get_u32(at) << 32) | get_u32(at + 4);
}

#endif
