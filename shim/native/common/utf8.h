#ifndef CLAWRDEN_UTF8_H
#define CLAWRDEN_UTF8_H

#include <stdbool.h>

/* True where the bytes are UTF-8 in its one shortest form, without surrogates and nothing above U+10FFFF. */
bool utf8_valid(const char *string);

#endif
