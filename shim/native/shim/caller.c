#include "caller.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027
#endif

static enum caller_stdio look_at(int fd)
{
    struct stat found;
    if (fstat(fd, &found) != 0)
        return CALLER_CLOSED;
    switch (found.st_mode & S_IFMT) {
    case S_IFIFO:
        return CALLER_PIPE;
    case S_IFSOCK:
        return CALLER_SOCKET;
    case S_IFCHR:
        if (found.st_rdev == makedev(1, 3))
            return CALLER_NULL;
        return isatty(fd) ? CALLER_TTY : CALLER_DEVICE;
    default:
        return CALLER_FILE;
    }
}

/* Every read of a folder, or of what was not opened for reading, fails. What is no file of any kind (an eventfd, a
 * timerfd, a signalfd) is its maker's: what is read of it, nobody gets again. */
static bool can_be_read(int fd)
{
    struct stat found;
    int flags = fcntl(fd, F_GETFL), mode = flags & O_ACCMODE;
    bool opened = flags >= 0 && (flags & O_PATH) == 0 && (mode == O_RDONLY || mode == O_RDWR);
    return opened && fstat(fd, &found) == 0 && (found.st_mode & S_IFMT) != 0 && !S_ISDIR(found.st_mode);
}

static bool same_open_file(void)
{
    struct stat out, err;
    int same = fcntl(1, F_DUPFD_QUERY, 2);
    if (same >= 0)
        return same == 1;
    return fstat(1, &out) == 0 && fstat(2, &err) == 0 && out.st_dev == err.st_dev && out.st_ino == err.st_ino
        && !S_ISREG(out.st_mode);
}

static uint64_t ignored_signals(void)
{
    uint64_t set = 0;
    struct sigaction action;
    for (int number = 1; number <= 64; number++)
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            set |= (uint64_t)1 << (number - 1);
    return set;
}

static void look_at_terminal(struct caller *caller)
{
    struct winsize size;
    caller->terminal = -1;
    for (int fd = 2; fd >= 0; fd--)
        if (caller->stdio[fd] == CALLER_TTY)
            caller->terminal = fd;
    if (caller->terminal < 0 || ioctl(caller->terminal, TIOCGWINSZ, &size) != 0)
        return;
    caller->cols = size.ws_col;
    caller->rows = size.ws_row;
}

void caller_look(struct caller *caller)
{
    for (int fd = 0; fd < 3; fd++)
        caller->stdio[fd] = look_at(fd);
    /* A tool that reads a closed one fails, as with this one, and one that does not read does not notice. In /dev/null
     * there is nothing to lose. */
    if (caller->stdio[0] != CALLER_NULL && !can_be_read(0))
        caller->stdio[0] = CALLER_CLOSED;
    caller->joined = caller->stdio[1] != CALLER_CLOSED && caller->stdio[2] != CALLER_CLOSED && same_open_file();
    caller->umask = umask(0);
    umask(caller->umask);
    caller->ignored = ignored_signals();
    sigprocmask(SIG_SETMASK, NULL, &caller->blocked);
    look_at_terminal(caller);
}

const char *caller_stdio_name(enum caller_stdio stdio)
{
    static const char *const names[] = {
        [CALLER_CLOSED] = "closed", [CALLER_NULL] = "null", [CALLER_TTY] = "tty", [CALLER_PIPE] = "pipe",
        [CALLER_SOCKET] = "pipe", [CALLER_FILE] = "file", [CALLER_DEVICE] = "file",
    };
    return names[stdio];
}
