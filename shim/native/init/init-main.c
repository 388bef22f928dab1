/* The init: PID 1 of a ghost, or the parent of a mirrored command. It reads frames on fd 0 and writes frames on fd 1;
 * docs/protocol.md has the wire. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"
#include "descriptors.h"
#include "environment.h"
#include "family.h"
#include "keep.h"
#include "operands.h"
#include "outbox.h"
#include "run.h"
#include "search.h"
#include "secrets.h"
#include "wire.h"
#include "workdir.h"

enum { PLAN_WAIT_MS = 10 * 60 * 1000, WIRE_VERSION = 5 };

extern char **environ;

/* Blocked for good: a process that may kill PID 1 uses KILL, and the gateway uses frames. */
static int open_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigset_t told;
    sigemptyset(&told);
    sigaddset(&told, SIGCHLD);
    /* Another process wants to write a held file. */
    sigaddset(&told, SIGIO);
    return signalfd(-1, &told, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool prepare(struct run *run)
{
    /* Before any fork: a tool of the same uid must not reach the frames through /proc. */
    prctl(PR_SET_DUMPABLE, 0);
    signal(SIGPIPE, SIG_IGN);
    run->in.fd = 0;
    run->out.fd = 1;
    run->network.listener = -1;
    descriptors_close_inherited();
    if (!descriptors_guard() || (run->signals = open_signals()) < 0)
        return false;
    family_adopt();
    return fcntl(0, F_SETFL, O_NONBLOCK) == 0 && fcntl(1, F_SETFL, O_NONBLOCK) == 0;
}

/* The bytes of the plan, or NULL if the first frame is not a plan. Ends the process when the gateway goes away, or at
 * a deadline. */
static uint8_t *receive_plan(struct run *run, size_t *length)
{
    int64_t deadline = clock_ms() + PLAN_WAIT_MS;
    uint8_t *bytes = NULL;
    struct piece piece;
    for (;;) {
        enum frames_state state = frames_peek(&run->in, &piece);
        if (state == FRAMES_BROKEN || (state == FRAMES_PIECE && piece.type != FRAME_PLAN))
            return NULL;
        if (state == FRAMES_WAIT) {
            struct pollfd in = {.fd = 0, .events = POLLIN};
            if (clock_ms() >= deadline)
                _exit(0);
            if (poll(&in, 1, poll_timeout(deadline)) > 0 && !frames_read(&run->in))
                _exit(0);
            continue;
        }
        if (!bytes && !(bytes = malloc((size_t)piece.total + 1)))
            return NULL;
        memcpy(bytes + piece.offset, piece.bytes, piece.length);
        frames_take(&run->in, piece.length);
        *length = piece.offset + piece.length;
        if (*length == piece.total)
            return bytes;
    }
}

static void flush_all(struct run *run, int64_t deadline)
{
    while (outbox_flush(&run->out), !outbox_empty(&run->out) && clock_ms() < deadline) {
        struct pollfd out = {.fd = 1, .events = POLLOUT};
        poll(&out, 1, poll_timeout(deadline));
    }
}

static void refuse(struct run *run, const char *reason, const char *why)
{
    struct text line = {0};
    text_add(&line, reason);
    text_add(&line, ": ");
    text_add(&line, why);
    outbox_put(&run->out, FRAME_REFUSED, line.bytes, line.length);
    flush_all(run, clock_ms() + 10000);
    run_linger();
    _exit(0);
}

static void refuse_errno(struct run *run, const char *reason, const char *what, int error)
{
    struct text why = {0};
    text_add(&why, what);
    text_add(&why, ": ");
    text_add(&why, strerror(error));
    refuse(run, reason, why.bytes);
}

/* The tool links are in this program's directory, and each of them leads to the shim. */
static struct avoid what_to_avoid(const char *name)
{
    struct avoid avoid = {0};
    char path[PATH_MAX + 256];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    if (!slash)
        return avoid;
    slash[1] = 0;
    avoid.directory_known = stat(path, &avoid.directory) == 0;
    if (strlen(name) < 256) {
        strcpy(slash + 1, name);
        avoid.shim_known = stat(path, &avoid.shim) == 0;
    }
    /* After a link was removed, its tool may still be on PATH as another link to the shim. */
    strcpy(slash + 1, ".shim");
    avoid.shim_known = avoid.shim_known || stat(path, &avoid.shim) == 0;
    return avoid;
}

static int find_tool(const struct plan *plan, char found[PATH_MAX])
{
    const char *name = plan->argv[0];
    const char *path = environment_value(plan->mirror ? environ : plan->env, "PATH");
    if (!path)
        path = default_path;
    if (!plan->mirror)
        return search_path(name, path, NULL, found);
    struct avoid avoid = what_to_avoid(name);
    return search_original(name, path, &avoid, found);
}

static void check_tool(struct run *run, char found[PATH_MAX])
{
    const char *name = run->plan.argv[0];
    struct text why = {0};
    int error = find_tool(&run->plan, found);
    if (error == 0)
        return;
    text_add(&why, name);
    text_add(&why, error == EACCES ? " is there but may not be executed" : " does not exist where the command runs");
    refuse(run, error == EACCES ? "not-executable" : "not-found", why.bytes);
}

/* Sent before anything runs, because a person is asked about it. */
static void tell_operands(struct run *run)
{
    static struct operands operands;
    static uint8_t payload[OPERANDS_FRAME];
    operands_look(&operands, &run->plan, &run->hold);
    hold_end(&run->hold);
    outbox_put(&run->out, FRAME_OPERANDS, payload, operands_encode(&operands, payload));
    flush_all(run, clock_ms() + 10000);
    run_linger();
    _exit(0);
}

/* From here on the approved files are held until no process of the tool is left. */
static void tell_started(struct run *run)
{
    static struct operands operands;
    static uint8_t payload[OPERANDS_FRAME];
    struct text why = {0};
    operands_look(&operands, &run->plan, &run->hold);
    if (operands_changed(&operands, &run->plan, &why))
        refuse(run, "operand-changed", why.bytes);
    int changed = hold_changed(&run->hold);
    if (changed >= 0) {
        text_add(&why, run->plan.operands[changed]);
        text_add(&why, " is being changed");
        refuse(run, "operand-changed", why.bytes);
    }
    outbox_put(&run->out, FRAME_STARTED, payload, operands_encode(&operands, payload));
    outbox_flush(&run->out);
}

static void start(struct run *run, const char *path)
{
    int unwritten = secrets_write(run->plan.files);
    if (unwritten != 0)
        refuse_errno(run, "init-failed", "the files of its secrets cannot be written", unwritten);
    char **env = environment_make(run->plan.env, environ, run->plan.mirror);
    int error = env ? tool_open(&run->tool, &run->plan) : ENOMEM;
    if (error == ENOSPC)
        refuse(run, "no-host", "no terminal can be made: a ghost has 64, its kernel kernel.pty.max, and all are in use");
    if (error != 0)
        refuse_errno(run, "init-failed", "the tool's stdio cannot be made", error);
    if (run->plan.network && (error = network_open(&run->network)) != 0)
        refuse_errno(run, "init-failed", "nobody can listen on 127.0.0.1:3128", error);
    tell_started(run);
    error = tool_start(&run->tool, &run->plan, path, env, run->hold.count > 0 ? &run->gate : NULL);
    if (error < 0)
        refuse_errno(run, "init-failed", "the tool cannot be set up", -error);
    if (error == ENOENT)
        refuse(run, "not-executable", "the tool is there, but the interpreter that it asks for is not");
    if (error > 0)
        refuse_errno(run, "not-executable", run->plan.argv[0], error);
}

int main(int count, char **words)
{
    static struct run run;
    static const uint8_t version = WIRE_VERSION;
    struct text why = {0};
    char path[PATH_MAX];
    size_t length = 0;
    if (!prepare(&run)) {
        static const char failed[] = "clawrden: init-failed: the init cannot watch its descriptors\n";
        return write(2, failed, sizeof failed - 1) < 0 ? 1 : 125;
    }
    outbox_put(&run.out, FRAME_READY, &version, 1);
    outbox_flush(&run.out);
    if (count > 1 && strcmp(words[1], "session") == 0)
        keep(run.signals);
    uint8_t *bytes = receive_plan(&run, &length);
    if (!bytes || !plan_parse(&run.plan, bytes, length))
        refuse(&run, "bad-plan", "the plan breaks the rules of the wire");
    const char *reason = workdir_enter(run.plan.cwd, run.plan.workspace, &why);
    if (reason)
        refuse(&run, reason, why.bytes);
    if (run.plan.inspect)
        tell_operands(&run);
    check_tool(&run, path);
    run_begin(&run);
    start(&run, path);
    run_serve(&run);
    return run_exit_code(&run);
}
