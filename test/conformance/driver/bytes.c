#include "bytes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bytes_add(struct bytes *bytes, const void *added, size_t length)
{
    if (bytes->length + length > bytes->room) {
        bytes->room = (bytes->length + length) * 2;
        bytes->at = realloc(bytes->at, bytes->room);
        if (!bytes->at)
            _exit(3);
    }
    if (length > 0)
        memcpy(bytes->at + bytes->length, added, length);
    bytes->length += length;
}

void bytes_add_u32(struct bytes *bytes, uint32_t number)
{
    uint8_t big[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
    bytes_add(bytes, big, sizeof big);
}

void bytes_add_string(struct bytes *bytes, const void *string, size_t length)
{
    bytes_add_u32(bytes, (uint32_t)length);
    bytes_add(bytes, string, length);
}

uint8_t read_u8(struct reader *reader)
{
    if (reader->at >= reader->end)
        reader->bad = true;
    return reader->bad ? 0 : *reader->at++;
}

uint32_t read_u32(struct reader *reader)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 8 | read_u8(reader);
    return number;
}

uint64_t read_u64(struct reader *reader)
{
    uint64_t high = read_u32(reader);
    return high << 32 | read_u32(reader);
}

char *read_string(struct reader *reader, size_t *length)
{
    static char empty[1];
    *length = read_u32(reader);
    if (reader->bad || *length >= (size_t)(reader->end - reader->at)) {
        reader->bad = true;
        *length = 0;
        return empty;
    }
    char *string = (char *)reader->at;
    reader->at += *length + 1;
    return string;
}
