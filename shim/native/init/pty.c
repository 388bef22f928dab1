#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

static int take_over(int slave)
{
    /* Fails only if this process already leads a session, as under Docker. */
    setsid();
    return ioctl(slave, TIOCSCTTY, 0);
}

static int untranslate_output(int slave)
{
    struct termios mode;
    if (tcgetattr(slave, &mode) != 0)
        return -1;
    mode.c_oflag &= ~(tcflag_t)OPOST;
    return tcsetattr(slave, TCSANOW, &mode);
}

int pty_open(int *master, int *slave, uint16_t cols, uint16_t rows, int raw_output)
{
    int unlocked = 0;
    *slave = -1;
    *master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (*master < 0 || ioctl(*master, TIOCSPTLCK, &unlocked) != 0)
        return errno;
    *slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*slave < 0 || take_over(*slave) != 0 || (raw_output && untranslate_output(*slave) != 0))
        return errno;
    pty_resize(*master, cols, rows);
    return 0;
}

void pty_resize(int master, uint16_t cols, uint16_t rows)
{
    struct winsize size = {.ws_col = cols, .ws_row = rows};
    ioctl(master, TIOCSWINSZ, &size);
}
