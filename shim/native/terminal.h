#ifndef CLAWRDEN_TERMINAL_H
#define CLAWRDEN_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "caller.h"

/* The caller's terminal while a tool with a terminal of its own runs behind it. */
struct terminal {
    /* Descriptors 0 and 1 are both terminals. */
    bool usable, raw;
    struct termios saved;
};

void terminal_open(struct terminal *terminal, const struct caller *caller);

/* Raw mode: the tool's terminal does what this one did. Only in the foreground; false where that is not so now. */
bool terminal_raw(struct terminal *terminal);

/* As it was found. Safe to call at any time. */
void terminal_restore(struct terminal *terminal);

#endif
