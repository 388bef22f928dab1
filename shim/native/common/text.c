#include "text.h"

#include <string.h>

#include "digits.h"

void text_add_bytes(struct text *text, const char *more, size_t length)
{
    size_t room = sizeof text->bytes - 1 - text->length;
    size_t kept = length < room ? length : room;
    memcpy(text->bytes + text->length, more, kept);
    text->length += kept;
    text->bytes[text->length] = 0;
}

void text_add(struct text *text, const char *more)
{
    text_add_bytes(text, more, strlen(more));
}

void text_add_number(struct text *text, unsigned long number)
{
    struct digits digits;
    text_add(text, digits_of(&digits, number));
}

void text_make_safe(struct text *text)
{
    for (size_t i = 0; i < text->length; i++)
        if ((unsigned char)text->bytes[i] < ' ' || (unsigned char)text->bytes[i] > '~')
            text->bytes[i] = '?';
}
