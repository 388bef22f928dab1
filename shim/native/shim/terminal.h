#ifndef CLAWRDEN_TERMINAL_H
#define CLAWRDEN_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "caller.h"

/* The caller's terminal while a tool with its own terminal runs. */
struct terminal {
    /* Its descriptor, -1 unless 0 and 1 are both terminals; a copy, because 0 may be closed later. */
    int fd;
    bool raw;
    struct termios saved;
};

void terminal_open(struct terminal *terminal, const struct caller *caller);

/* Sets raw mode, because the tool's terminal does the translation. Only in the foreground; else the next call tries
 * again. */
void terminal_raw(struct terminal *terminal);

/* Sets raw mode again if another process may have changed it while this process was stopped. */
void terminal_resume(struct terminal *terminal);

/* Restores it. Safe to call at any time. */
void terminal_restore(struct terminal *terminal);

#endif
