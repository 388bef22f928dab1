#include "json.h"

#include <string.h>

#include "digits.h"

static void add(struct json *json, const char *bytes, size_t length)
{
    if (json->full || json->capacity - json->length < length) {
        json->full = true;
        return;
    }
    memcpy(json->bytes + json->length, bytes, length);
    json->length += length;
}

void json_raw(struct json *json, const char *text)
{
    add(json, text, strlen(text));
}

void json_number(struct json *json, unsigned long number)
{
    struct digits digits;
    json_raw(json, digits_of(&digits, number));
}

static void add_escaped(struct json *json, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    char control[6] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
    char quoted[2] = {'\\', (char)byte};
    if (byte < 0x20)
        add(json, control, sizeof control);
    else
        add(json, quoted, sizeof quoted);
}

static bool plain(unsigned char byte)
{
    return byte >= 0x20 && byte != '"' && byte != '\\';
}

void json_string(struct json *json, const char *string)
{
    add(json, "\"", 1);
    while (*string) {
        size_t run = 0;
        while (string[run] && plain((unsigned char)string[run]))
            run++;
        add(json, string, run);
        string += run;
        if (*string)
            add_escaped(json, (unsigned char)*string++);
    }
    add(json, "\"", 1);
}
