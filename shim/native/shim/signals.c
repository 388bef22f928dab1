#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { ENDING = 4, ALL = 9 };
static const int numbers[ALL] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH};

static int watch(int signals, size_t count, uint64_t ignored)
{
    sigset_t set;
    sigemptyset(&set);
    /* A blocked signal is queued even if it is ignored. */
    for (size_t i = 0; i < count; i++)
        if ((ignored >> (numbers[i] - 1) & 1) == 0)
            sigaddset(&set, numbers[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(signals, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_open(uint64_t ignored)
{
    return watch(-1, ENDING, ignored);
}

bool signals_add_tool(int signals, uint64_t ignored)
{
    return watch(signals, ALL, ignored) >= 0;
}

int signals_next(int signals)
{
    struct signalfd_siginfo told;
    return read(signals, &told, sizeof told) == (ssize_t)sizeof told ? (int)told.ssi_signo : 0;
}

static bool stops_by_default(int number)
{
    return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

void signals_stop_self(int number)
{
    struct timespec none = {0, 0};
    sigset_t before, stop, go_on;
    if (!stops_by_default(number))
        number = SIGSTOP;
    sigemptyset(&stop);
    sigaddset(&stop, number);
    sigemptyset(&go_on);
    sigaddset(&go_on, SIGCONT);
    kill(getpid(), number);
    sigprocmask(SIG_UNBLOCK, &stop, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    /* A process that stops here tells the tool to continue by itself. */
    sigtimedwait(&go_on, NULL, &none);
}
