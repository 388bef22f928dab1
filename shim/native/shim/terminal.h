#ifndef CLAWRDEN_TERMINAL_H
#define CLAWRDEN_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "caller.h"

/* The caller's terminal while a tool with a terminal of its own runs behind it. */
struct terminal {
    /* Its descriptor, -1 unless 0 and 1 are both terminals; a copy, since 0 may be closed on the way. */
    int fd;
    bool raw;
    struct termios saved;
};

void terminal_open(struct terminal *terminal, const struct caller *caller);

/* Raw mode: the tool's terminal does what this one did. Only in the foreground; else the next call tries again. */
void terminal_raw(struct terminal *terminal);

/* Raw mode again, where somebody may have changed it while this process was stopped. */
void terminal_resume(struct terminal *terminal);

/* As it was found. Safe to call at any time. */
void terminal_restore(struct terminal *terminal);

#endif
