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

    /* Of the tool's connections. */
    FRAME_OPENED = 21,
    FRAME_CARRIED = 22,
    FRAME_FINISHED = 23,
    FRAME_ROOM = 24,
    FRAME_GONE = 25,

    /* The carrier's; docs/carrier.md has them. */
    FRAME_HELLO = 32,
    FRAME_CARRIER_READY = 33,
    FRAME_SETTLE = 34,
    FRAME_STATE = 35,
    FRAME_CHANGES = 36,
    FRAME_ENTRY = 37,
    FRAME_CHUNK = 38,
    FRAME_DONE = 39,
    FRAME_BEGIN = 40,
    FRAME_VERIFY = 41,
    FRAME_WANT = 42,
    FRAME_CHECKED = 43,
    FRAME_COMMIT = 44,
    FRAME_APPLIED = 45,
    FRAME_ABORT = 46,
    FRAME_MANIFEST = 47,
    FRAME_DIRS = 48,
    FRAME_READ = 49,
    FRAME_BYTES = 50,
    FRAME_ACKNOWLEDGE = 51,
    FRAME_FAILED = 52,
    FRAME_CARRIER_REFUSED = 53,
    FRAME_MEASURE = 54,
    FRAME_MEASURED = 55,
    FRAME_TAKE = 56,
    FRAME_WORKING = 57,
    FRAME_CLEAR = 58,
};

enum {
    FRAME_HEADER = 5,
    FRAME_MAX = 1024 * 1024,
    /* Most bytes of stdin that are granted and that the tool has not read yet. */
    STDIN_WINDOW = 256 * 1024,
    /* Most bytes of one connection on their way to the gateway, and to the tool. */
    CONNECTION_UP = 64 * 1024,
    CONNECTION_DOWN = 256 * 1024,
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

static inline void put_u64(uint8_t *at, uint64_t value)
{
    put_u32(at, (uint32_t)(value >> 32));
    put_u32(at + 4, (uint32_t)value);
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
