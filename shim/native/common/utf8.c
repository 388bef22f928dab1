#include "utf8.h"

#include <stddef.h>
#include <stdint.h>

static bool continues(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* The length of the character at `at`, 0 if there is no valid one. The terminating NUL stops every look ahead. */
static size_t character(const uint8_t *at)
{
    uint8_t first = at[0], second_low = 0x80, second_high = 0xbf;
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    if (first < 0xe0)
        return continues(at[1]) ? 2 : 0;
    if (first == 0xe0)
        second_low = 0xa0;
    if (first == 0xed)
        second_high = 0x9f;
    if (first == 0xf0)
        second_low = 0x90;
    if (first == 0xf4)
        second_high = 0x8f;
    if (at[1] < second_low || at[1] > second_high || !continues(at[2]))
        return 0;
    if (first < 0xf0)
        return 3;
    return continues(at[3]) ? 4 : 0;
}

bool utf8_valid(const char *string)
{
    const uint8_t *at = (const uint8_t *)string;
    while (*at) {
        size_t length = character(at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}
