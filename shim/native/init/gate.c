#include "gate.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "text.h"

/* Counted in stops, two for each call. A process that opens none of the files for that long must not stay slow for
 * ever: from then on changes are noticed, not prevented. Some programs open a script twice: Python first looks
 * whether it is an archive. */
enum { PASSED_MOST = 200000, PASSED_AFTER = 400 };

enum { SYSCALL_STOP = SIGTRAP | 0x80, EVENT_EXEC = 4, EVENT_STOP = 128, SYSCALL_INFO = 0x420e, INFO_EXIT = 2 };
static const long follow = 1 /* SYSGOOD */ | 1 << 1 /* FORK */ | 1 << 2 /* VFORK */ | 1 << 3 /* CLONE */
    | 1 << EVENT_EXEC;
static const long die_with_init = 1 << 20 /* EXITKILL */;

/* The kernel's name for the end of a call; the C libraries name it differently. */
struct syscall_info {
    uint8_t op, pad[3];
    uint32_t arch;
    uint64_t at, stack;
    int64_t result;
    uint8_t failed, rest[64];
};

void gate_begin(struct gate *gate, pid_t child, bool leave)
{
    long options = leave ? follow : follow | die_with_init;
    gate->last = PASSED_MOST;
    gate->used = ptrace(PTRACE_SEIZE, child, NULL, (void *)options) == 0;
}

static bool is(const char *path, const struct stat *held)
{
    struct stat found;
    return stat(path, &found) == 0 && found.st_dev == held->st_dev && found.st_ino == held->st_ino;
}

/* Every file was opened, so the process that opened it has the right one. */
static void look_at(struct gate *gate, const struct hold *hold, const char *opened)
{
    bool all = true, again = false;
    for (size_t i = 0; i < hold->count; i++) {
        bool held = is(opened, &hold->files[i].is);
        gate->seen[i] = gate->seen[i] || held;
        again = again || held;
        all = all && gate->seen[i];
    }
    if (all && again)
        gate->last = gate->passed + PASSED_AFTER;
}

static void add_process(struct text *path, pid_t pid, const char *rest)
{
    text_add(path, "/proc/");
    text_add_number(path, (unsigned long)pid);
    text_add(path, rest);
}

static void look_at_result(struct gate *gate, const struct hold *hold, pid_t pid)
{
    struct syscall_info info = {0};
    struct text path = {0};
    if (++gate->passed >= gate->last || ptrace((__typeof__(PTRACE_SYSCALL))SYSCALL_INFO, pid, (void *)sizeof info, &info) <= 0)
        gate->open = true;
    if (gate->open || info.op != INFO_EXIT || info.failed || info.result < 0 || info.result > INT32_MAX)
        return;
    add_process(&path, pid, "/fd/");
    text_add_number(&path, (unsigned long)info.result);
    look_at(gate, hold, path.bytes);
}

static void look_at_program(struct gate *gate, const struct hold *hold, pid_t pid)
{
    struct text path = {0};
    add_process(&path, pid, "/exe");
    look_at(gate, hold, path.bytes);
}

static bool go_on(const struct gate *gate, pid_t pid, int number)
{
    return ptrace(gate->open ? PTRACE_DETACH : PTRACE_SYSCALL, pid, NULL, (void *)(long)number) == 0;
}

static bool stops(int number)
{
    return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* A signal on its way to the process or, if the process is not traced any more, one that has stopped it. */
static int pass_signal(const struct gate *gate, pid_t pid, int number)
{
    return !go_on(gate, pid, number) && errno == ESRCH && stops(number) ? number : 0;
}

/* It stays stopped, traced or not, until somebody continues it. */
static int pass_stop(const struct gate *gate, pid_t pid, int number)
{
    if (!stops(number)) {
        go_on(gate, pid, 0);
        return 0;
    }
    ptrace(gate->open ? PTRACE_DETACH : PTRACE_LISTEN, pid, NULL, NULL);
    return number;
}

struct passing gate_pass(struct gate *gate, struct hold *hold, const struct plan *plan, pid_t pid, int status)
{
    int event = status >> 16, number = WSTOPSIG(status);
    struct passing passing = {.changed = -1};
    if (event == EVENT_STOP)
        passing.stopped = pass_stop(gate, pid, number);
    else if (event == 0 && number != SYSCALL_STOP)
        passing.stopped = pass_signal(gate, pid, number);
    else if ((passing.changed = gate->open ? -1 : hold_last_look(hold, plan)) < 0) {
        if (event == 0 && !gate->open)
            look_at_result(gate, hold, pid);
        else if (event == EVENT_EXEC && !gate->open)
            look_at_program(gate, hold, pid);
        go_on(gate, pid, 0);
    }
    return passing;
}
