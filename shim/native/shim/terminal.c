#include "terminal.h"

#include <fcntl.h>
#include <unistd.h>

void terminal_open(struct terminal *terminal, const struct caller *caller)
{
    bool usable = caller->stdio[0] == CALLER_TTY && caller->stdio[1] == CALLER_TTY;
    *terminal = (struct terminal){.fd = usable ? fcntl(0, F_DUPFD_CLOEXEC, 3) : -1};
}

/* In the background, another process uses the terminal and has set its modes. */
static bool in_foreground(const struct terminal *terminal)
{
    return terminal->fd >= 0 && tcgetpgrp(terminal->fd) == getpgrp();
}

static void set_raw(struct terminal *terminal)
{
    struct termios mode = terminal->saved;
    cfmakeraw(&mode);
    terminal->raw = tcsetattr(terminal->fd, TCSADRAIN, &mode) == 0;
}

void terminal_raw(struct terminal *terminal)
{
    if (!terminal->raw && in_foreground(terminal) && tcgetattr(terminal->fd, &terminal->saved) == 0)
        set_raw(terminal);
}

void terminal_resume(struct terminal *terminal)
{
    if (terminal->raw && in_foreground(terminal))
        set_raw(terminal);
}

void terminal_restore(struct terminal *terminal)
{
    if (terminal->raw && in_foreground(terminal))
        tcsetattr(terminal->fd, TCSADRAIN, &terminal->saved);
    terminal->raw = false;
}
