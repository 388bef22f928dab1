#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "pty.h"

enum { DESCRIPTORS = 1024 };

static int open_pipe(int *ours, int *theirs, bool input)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    *ours = ends[input ? 1 : 0];
    *theirs = ends[input ? 0 : 1];
    /* The two ends are two open files, so the tool's end stays blocking. */
    return fcntl(*ours, F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

static int open_null(int *theirs)
{
    *theirs = open("/dev/null", O_RDWR | O_CLOEXEC);
    return *theirs >= 0 ? 0 : errno;
}

static int open_terminal(struct tool *tool, const struct plan *plan)
{
    int error = pty_open(&tool->out, &tool->slave, plan->cols, plan->rows, plan->stdin_none);
    if (error == 0 && plan->stdio[0] == STDIO_TTY && !plan->stdin_none) {
        tool->in = fcntl(tool->out, F_DUPFD_CLOEXEC, 3);
        error = tool->in >= 0 ? 0 : errno;
    }
    return error;
}

static int open_end(struct tool *tool, const struct plan *plan, int fd)
{
    int *ours = fd == 0 ? &tool->in : fd == 1 ? &tool->out : &tool->err;
    uint8_t kind = plan->stdio[fd];
    if (fd == 0 && plan->stdin_none && kind != STDIO_CLOSED)
        kind = STDIO_NULL;
    switch (kind) {
    case STDIO_NULL:
        return open_null(&tool->theirs[fd]);
    case STDIO_PIPE:
        return open_pipe(ours, &tool->theirs[fd], fd == 0);
    case STDIO_TTY:
        tool->theirs[fd] = tool->slave;
        return 0;
    case STDIO_SAME:
        tool->theirs[fd] = tool->theirs[1];
        return 0;
    default:
        return 0;
    }
}

int tool_open(struct tool *tool, const struct plan *plan)
{
    *tool = (struct tool){.in = -1, .out = -1, .err = -1, .slave = -1, .theirs = {-1, -1, -1}};
    int error = plan->terminal ? open_terminal(tool, plan) : 0;
    for (int fd = 0; error == 0 && fd < 3; fd++)
        error = open_end(tool, plan, fd);
    return error;
}

static void reset_signals(uint64_t ignored)
{
    for (int number = 1; number < NSIG; number++) {
        bool ignore = number <= 64 && (ignored >> (number - 1) & 1) != 0;
        signal(number, ignore ? SIG_IGN : SIG_DFL);
    }
}

static void block_signals(uint64_t blocked)
{
    sigset_t set;
    sigemptyset(&set);
    for (int number = 1; number <= 64; number++)
        if ((blocked >> (number - 1) & 1) != 0)
            sigaddset(&set, number);
    sigprocmask(SIG_SETMASK, &set, NULL);
}

static int enter_group(const struct tool *tool)
{
    if (setpgid(0, 0) != 0)
        return errno;
    /* Every signal is still blocked, so TTOU does not stop this process. */
    return tool->slave < 0 || tcsetpgrp(tool->slave, getpid()) == 0 ? 0 : errno;
}

static int take_stdio(const struct tool *tool)
{
    for (int fd = 0; fd < 3; fd++) {
        if (tool->theirs[fd] < 0)
            close(fd);
        else if (dup2(tool->theirs[fd], fd) < 0)
            return errno;
    }
    return 0;
}

static int limit_files(uint64_t bytes)
{
    struct rlimit limit = {bytes, bytes};
    return bytes == 0 || setrlimit(RLIMIT_FSIZE, &limit) == 0 ? 0 : errno;
}

/* A ghost has this soft limit from its container. Of an exec, some engines lift it to the hard one. */
static int limit_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return errno;
    if (limit.rlim_cur > DESCRIPTORS)
        limit.rlim_cur = DESCRIPTORS;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? 0 : errno;
}

static void execute_script(const char *path, char **argv, char **env)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char **script = calloc(count + 2, sizeof *script);
    if (!script)
        return;
    script[0] = "sh";
    script[1] = (char *)path;
    memcpy(script + 2, argv + 1, (count - 1) * sizeof *script);
    execve("/bin/sh", script, env);
    errno = ENOEXEC;
}

/* Runs in the child. Returns only on failure. */
static int become_tool(const struct tool *tool, const struct plan *plan, const char *path, char **env)
{
    int error = enter_group(tool);
    if (error == 0)
        error = take_stdio(tool);
    if (error == 0)
        error = limit_files(plan->file_bytes);
    if (error == 0 && plan->leave)
        error = limit_descriptors();
    if (error == 0 && plan->confine)
        error = confine_self();
    if (error != 0)
        return -error;
    umask(plan->umask & 0777);
    reset_signals(plan->ignored);
    block_signals(plan->blocked);
    execve(path, plan->argv, env);
    if (errno == ENOEXEC)
        execute_script(path, plan->argv, env);
    return errno;
}

/* The descriptors of a start: one reports the result of the exec, on the other the child waits before it. */
struct start {
    int status[2], gate[2];
};

static bool open_start(struct start *start)
{
    if (pipe2(start->status, O_CLOEXEC) != 0)
        return false;
    if (pipe2(start->gate, O_CLOEXEC) == 0)
        return true;
    close(start->status[0]);
    close(start->status[1]);
    return false;
}

static void wait_for_gate(const struct start *start)
{
    char none;
    close(start->gate[1]);
    while (read(start->gate[0], &none, 1) < 0 && errno == EINTR)
        ;
}

static void run_child(const struct tool *tool, const struct plan *plan, const char *path, char **env,
                      const struct start *start, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    wait_for_gate(start);
    if (getppid() != parent)
        _exit(1);
    int error = become_tool(tool, plan, path, env);
    /* The parent reads the error number or, after a successful exec, the end of the file. */
    if (write(start->status[1], &error, sizeof error) < 0)
        _exit(2);
    _exit(1);
}

static void close_child_ends(const struct tool *tool)
{
    for (int fd = 0; fd < 3; fd++)
        if (tool->theirs[fd] >= 0 && tool->theirs[fd] != tool->slave && (fd != 2 || tool->theirs[2] != tool->theirs[1]))
            close(tool->theirs[fd]);
}

static int exec_error(int status, pid_t pid)
{
    int error = 0;
    ssize_t got;
    while ((got = read(status, &error, sizeof error)) < 0 && errno == EINTR)
        ;
    if (got <= 0)
        return 0;
    waitpid(pid, NULL, 0);
    return error;
}

/* The kernel allows tracing only of a process that may be inspected. At this moment no other process of the tool's
 * user runs here. */
static pid_t fork_traceable(bool traceable)
{
    if (traceable)
        prctl(PR_SET_DUMPABLE, 1);
    pid_t pid = fork();
    if (traceable && pid != 0)
        prctl(PR_SET_DUMPABLE, 0);
    return pid;
}

int tool_start(struct tool *tool, const struct plan *plan, const char *path, char **env, struct gate *gate)
{
    struct start start;
    if (!open_start(&start))
        return -errno;
    pid_t self = getpid();
    tool->pid = fork_traceable(gate != NULL);
    if (tool->pid == 0)
        run_child(tool, plan, path, env, &start, self);
    int error = tool->pid < 0 ? -errno : 0;
    if (gate && error == 0)
        gate_begin(gate, tool->pid, plan->leave);
    close(start.gate[0]);
    close(start.gate[1]);
    close(start.status[1]);
    close_child_ends(tool);
    if (error == 0)
        error = exec_error(start.status[0], tool->pid);
    close(start.status[0]);
    return error;
}

void tool_signal(const struct tool *tool, int number)
{
    if (kill(-tool->pid, number) != 0)
        kill(tool->pid, number);
}
