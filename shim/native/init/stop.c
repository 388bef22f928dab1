#include "stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "family.h"

enum { TERM_GRACE_MS = 2000, REAP_MS = 2000, REAP_TICK_MS = 5 };

void stop_tool(struct run *run, enum cause cause)
{
    if (run->ended || run->cause != CAUSE_OWN)
        return;
    run->cause = cause;
    tool_signal(&run->tool, SIGTERM);
    /* A stopped tool would not handle the TERM. */
    tool_signal(&run->tool, SIGCONT);
    run->kill_at = clock_ms() + TERM_GRACE_MS;
}

void stop_hard(struct run *run, enum cause cause)
{
    if (run->ended)
        return;
    if (run->cause == CAUSE_OWN)
        run->cause = cause;
    family_kill();
    run->kill_at = clock_ms() + REAP_TICK_MS;
}

void stop_ended(struct run *run)
{
    run->kill_at = clock_ms() + REAP_MS;
}

bool stop_reaped_enough(const struct run *run)
{
    return run->ended && clock_ms() >= run->kill_at;
}

int64_t stop_deadline(const struct run *run)
{
    int64_t deadline = run->abandon_at;
    if (!run->ended) {
        deadline = earlier(deadline, run->kill_at);
        if (run->cause == CAUSE_OWN)
            deadline = earlier(deadline, run->run_at);
        if (run->cause == CAUSE_OWN && run->plan.idle_ms)
            deadline = earlier(deadline, run->moved_at + run->plan.idle_ms);
    }
    return deadline;
}

void stop_if_due(struct run *run)
{
    int64_t now = clock_ms();
    if (run->abandon_at && now >= run->abandon_at)
        stop_vanish(run);
    if (run->run_at && now >= run->run_at)
        stop_tool(run, CAUSE_RUN);
    if (run->plan.idle_ms && now >= run->moved_at + run->plan.idle_ms)
        stop_tool(run, CAUSE_IDLE);
    if (!run->ended && run->kill_at && now >= run->kill_at)
        stop_hard(run, run->cause);
}

_Noreturn void stop_vanish(struct run *run)
{
    int64_t deadline = clock_ms() + REAP_MS;
    /* When PID 1 ends, its whole container ends; another init must wait for the processes that it adopts while it
     * kills. */
    while (getpid() != 1 && !run->childless && clock_ms() < deadline) {
        family_kill();
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        run->childless = waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
        if (!run->childless)
            poll(NULL, 0, REAP_TICK_MS);
    }
    _exit(125);
}
