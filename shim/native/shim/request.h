#ifndef CLAWRDEN_REQUEST_H
#define CLAWRDEN_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "caller.h"
#include "text.h"

enum { REQUEST_MAX = 1024 * 1024 };

struct request {
    /* Begins with the four bytes of its length. */
    size_t length;
    uint8_t bytes[4 + REQUEST_MAX];
};

/* The name by which this program was called: the tool. */
const char *request_tool(char *const *argv);

/* Builds the request. NULL, or the reason code with its text in `why`. */
const char *request_make(struct request *request, const struct caller *caller, char *const *argv, char *const *env,
                         struct text *why);

#endif
