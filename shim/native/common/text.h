#ifndef CLAWRDEN_TEXT_H
#define CLAWRDEN_TEXT_H

#include <stddef.h>

/* Builds one line without printf, which would double the program's size. A text that is too long is cut. */
struct text {
    size_t length;
    char bytes[1024];
};

void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const char *more, size_t length);
void text_add_number(struct text *text, unsigned long number);

/* Replaces what is not printable ASCII by `?`, so that it cannot control a terminal. */
void text_make_safe(struct text *text);

#endif
