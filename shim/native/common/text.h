#ifndef CLAWRDEN_TEXT_H
#define CLAWRDEN_TEXT_H

#include <stddef.h>

/* One line put together without printf, which would double the program's size. Too long a text is cut. */
struct text {
    size_t length;
    char bytes[1024];
};

void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const char *more, size_t length);
void text_add_number(struct text *text, unsigned long number);

/* What is not printable ASCII becomes `?`: no terminal is moved by it. */
void text_make_safe(struct text *text);

#endif
