#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow; ends the process if there is no memory. */
struct bytes {
    uint8_t *at;
    size_t length;
    size_t room;
};

void bytes_add(struct bytes *bytes, const void *added, size_t length);
void bytes_add_u32(struct bytes *bytes, uint32_t number);
/* A u32 length, then the bytes. */
void bytes_add_string(struct bytes *bytes, const void *string, size_t length);

/* Reads what bytes_add_* wrote. If the bytes end too early, `bad` is set and zeros are returned. */
struct reader {
    uint8_t *at;
    uint8_t *end;
    bool bad;
};

uint8_t read_u8(struct reader *reader);
uint32_t read_u32(struct reader *reader);
uint64_t read_u64(struct reader *reader);
/* `length` bytes and the NUL after them, which the length does not count. */
char *read_string(struct reader *reader, size_t *length);

#endif
