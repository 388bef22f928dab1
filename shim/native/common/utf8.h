#ifndef CLAWRDEN_UTF8_H
#define CLAWRDEN_UTF8_H

#include <stdbool.h>

/* True if the bytes are valid UTF-8: shortest forms only, no surrogates, nothing above U+10FFFF. */
bool utf8_valid(const char *string);

#endif
