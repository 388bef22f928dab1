#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static sigset_t set_of(const int *numbers, size_t count)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++)
        sigaddset(&set, numbers[i]);
    return set;
}

enum { ENDING = 4, ALL = 9 };
static const int numbers[ALL] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH};

static int watch(int signals, size_t count)
{
    sigset_t set = set_of(numbers, count);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(signals, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_open(void)
{
    return watch(-1, ENDING);
}

bool signals_add_tool(int signals)
{
    return watch(signals, ALL) >= 0;
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
    static const int cont = SIGCONT;
    struct timespec none = {0, 0};
    sigset_t before;
    if (!stops_by_default(number))
        number = SIGSTOP;
    sigset_t stop = set_of(&number, 1), go_on = set_of(&cont, 1);
    kill(getpid(), number);
    sigprocmask(SIG_UNBLOCK, &stop, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    /* Whoever stops here tells the tool to go on by himself. */
    sigtimedwait(&go_on, NULL, &none);
}
