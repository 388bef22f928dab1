#include "leader.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void tell(int events, enum event event, int number)
{
    uint8_t message[5] = {(uint8_t)event, (uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                          (uint8_t)number};
    if (write(events, message, sizeof message) != sizeof message)
        _exit(4);
}

static void set_signals(uint64_t ignored)
{
    sigset_t none;
    for (int number = 1; number <= 64; number++)
        signal(number, ignored >> (number - 1) & 1 ? SIG_IGN : SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int take_stdio(const struct stage *stage)
{
    for (int fd = 0; fd < 3; fd++) {
        if (stage->theirs[fd] < 0)
            close(fd);
        else if (dup2(stage->theirs[fd], fd) < 0)
            return errno;
    }
    return 0;
}

static _Noreturn void become_tool(const struct stage *stage, const struct scene *scene, int events)
{
    setpgid(0, 0);
    if (stage->slave >= 0)
        tcsetpgrp(stage->slave, getpid());
    int error = chdir(scene->cwd) == 0 ? take_stdio(stage) : errno;
    if (error == 0) {
        umask(scene->umask);
        set_signals(scene->ignored);
        environ = scene->env;
        execvp(scene->argv[0], scene->argv);
        error = errno;
    }
    tell(events, EVENT_FAILED, error);
    _exit(127);
}

static int block_signals(void)
{
    sigset_t all, child;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Like a shell: the terminal is its own while its job is stopped. */
static void look_after(const struct stage *stage, pid_t tool, int events)
{
    int status;
    while (waitpid(tool, &status, WNOHANG | WUNTRACED) == tool) {
        if (WIFSTOPPED(status)) {
            if (stage->slave >= 0)
                tcsetpgrp(stage->slave, getpgrp());
            tell(events, EVENT_STOPPED, WSTOPSIG(status));
            continue;
        }
        tell(events, EVENT_ENDED, status);
        for (;;)
            pause(); /* the session ends when the driver sweeps */
    }
}

static void foreground(const struct stage *stage, pid_t tool)
{
    if (stage->slave >= 0)
        tcsetpgrp(stage->slave, tool);
    kill(-tool, SIGCONT);
}

_Noreturn void lead(const struct stage *stage, const struct scene *scene, int events, int orders)
{
    setsid();
    int children = block_signals();
    if (stage->slave >= 0 && ioctl(stage->slave, TIOCSCTTY, 0) != 0)
        tell(events, EVENT_FAILED, errno);
    pid_t tool = fork();
    if (tool == 0)
        become_tool(stage, scene, events);
    setpgid(tool, tool);
    tell(events, EVENT_STARTED, tool);
    for (int fd = 0; fd < 3; fd++)
        if (stage->theirs[fd] >= 0)
            close(stage->theirs[fd]);
    for (;;) {
        struct pollfd polled[] = {{.fd = children, .events = POLLIN}, {.fd = orders, .events = POLLIN}};
        struct signalfd_siginfo told;
        uint8_t order;
        if (poll(polled, 2, -1) <= 0)
            continue;
        if (polled[0].revents && read(children, &told, sizeof told) > 0)
            look_after(stage, tool, events);
        if (polled[1].revents && read(orders, &order, 1) == 1)
            foreground(stage, tool);
        else if (polled[1].revents)
            _exit(0);
    }
}
