#ifndef CLAWRDEN_JSON_H
#define CLAWRDEN_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* JSON being written into `bytes`; what does not fit sets `full` and is dropped. */
struct json {
    char *bytes;
    size_t length, capacity;
    bool full;
};

/* As it is: brackets, names, commas. */
void json_raw(struct json *json, const char *text);

void json_number(struct json *json, unsigned long number);

/* Quoted and escaped. The bytes must be UTF-8. */
void json_string(struct json *json, const char *string);

#endif
