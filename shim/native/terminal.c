#include "terminal.h"

#include <unistd.h>

void terminal_open(struct terminal *terminal, const struct caller *caller)
{
    *terminal = (struct terminal){.usable = caller->stdio[0] == CALLER_TTY && caller->stdio[1] == CALLER_TTY};
}

static bool in_foreground(void)
{
    return tcgetpgrp(0) == getpgrp();
}

bool terminal_raw(struct terminal *terminal)
{
    if (!terminal->usable || terminal->raw)
        return true;
    if (!in_foreground() || tcgetattr(0, &terminal->saved) != 0)
        return false;
    struct termios mode = terminal->saved;
    cfmakeraw(&mode);
    terminal->raw = tcsetattr(0, TCSADRAIN, &mode) == 0;
    return terminal->raw;
}

void terminal_restore(struct terminal *terminal)
{
    /* In the background the terminal is somebody else's, who has set it for himself. */
    if (terminal->raw && in_foreground())
        tcsetattr(0, TCSADRAIN, &terminal->saved);
    terminal->raw = false;
}
