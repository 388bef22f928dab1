#ifndef CLAWRDEN_JSON_H
#define CLAWRDEN_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* JSON that is written into `bytes`. If a text does not fit, it is dropped and `full` is set. */
struct json {
    char *bytes;
    size_t length, capacity;
    bool full;
};

/* Written unchanged: brackets, names, commas. */
void json_raw(struct json *json, const char *text);

void json_number(struct json *json, unsigned long number);

/* Written quoted and escaped. The bytes must be UTF-8. */
void json_string(struct json *json, const char *string);

#endif
