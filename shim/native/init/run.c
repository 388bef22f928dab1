#include "run.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "family.h"
#include "oom.h"
#include "orders.h"
#include "over.h"
#include "pump.h"
#include "stop.h"
#include "usage.h"

enum { DELIVERY_GRACE_MS = 10000, LINGER_MS = 1000, REAP_TICK_MS = 5, STOP_PATIENCE_MS = 500 };

enum { IN, SIGNALS, FEED, OUT, ERR, SELF, WATCH, POLLED };

void run_begin(struct run *run)
{
    int64_t now = clock_ms();
    run->moved_at = now;
    run->run_at = run->plan.run_ms ? now + run->plan.run_ms : 0;
    run->abandon_at = run->run_at ? run->run_at + DELIVERY_GRACE_MS : 0;
    run->oom_before = oom_kills();
    run->left = (struct left){-1, -1};
}

/* A script that is being changed must not run on, and a changed one may already have run: this cause replaces any
 * other. */
static void operand_changed(struct run *run, int operand)
{
    run->cause = CAUSE_OPERAND;
    run->operand = (uint8_t)operand;
    stop_hard(run, CAUSE_OPERAND);
}

static void take_end(struct run *run, int status)
{
    run->ended = true;
    run->status = status;
    stop_ended(run);
    /* The end of the terminal must not hang up what is left. */
    if (over_leaves(run) && run->tool.slave >= 0)
        tcsetpgrp(run->tool.slave, getpgrp());
}

static void take_stop(struct run *run, pid_t pid, int status)
{
    struct passing passing = {.changed = -1, .stopped = WSTOPSIG(status)};
    if (run->gate.used)
        passing = gate_pass(&run->gate, &run->hold, &run->plan, pid, status);
    if (passing.changed >= 0)
        operand_changed(run, passing.changed);
    if (passing.stopped == 0 || pid != run->tool.pid)
        return;
    run->stopped = (uint8_t)passing.stopped;
    run->stopped_at = clock_ms();
}

static void reap(struct run *run)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | __WALL)) > 0) {
        if (WIFSTOPPED(status))
            take_stop(run, pid, status);
        else if (pid == run->tool.pid)
            take_end(run, status);
    }
    run->childless = pid < 0 && errno == ECHILD;
    if (run->ended && !run->childless && !over_leaves(run))
        family_kill();
}

static void wait_for_events(struct run *run, struct pollfd polled[POLLED + NETWORK_POLLED], size_t *connections)
{
    bool idle = outbox_empty(&run->out);
    struct feed *feed = &run->feed;
    polled[IN] = (struct pollfd){.fd = 0, .events = POLLIN};
    polled[SIGNALS] = (struct pollfd){.fd = run->signals, .events = POLLIN};
    polled[FEED] = (struct pollfd){.fd = feed->fd, .events = feed_waiting(feed) ? POLLOUT : 0};
    polled[OUT] = (struct pollfd){.fd = idle ? run->tool.out : -1, .events = POLLIN};
    polled[ERR] = (struct pollfd){.fd = idle ? run->tool.err : -1, .events = POLLIN};
    polled[SELF] = (struct pollfd){.fd = 1, .events = idle ? 0 : POLLOUT};
    polled[WATCH] = (struct pollfd){.fd = run->hold.watch.fd, .events = POLLIN};
    *connections = network_wait(&run->network, &run->out, polled + POLLED);
    int64_t deadline = earlier(stop_deadline(run), feed->tick_at);
    if (run->ended && !run->childless)
        deadline = earlier(deadline, clock_ms() + REAP_TICK_MS);
    if (poll(polled, POLLED + *connections, poll_timeout(deadline)) <= 0)
        for (size_t i = 0; i < POLLED + *connections; i++)
            polled[i].revents = 0;
}

static void forget_signals(int signals)
{
    struct signalfd_siginfo told;
    while (read(signals, &told, sizeof told) > 0)
        ;
}

static void mind_operands(struct run *run)
{
    bool done = run->ended && (run->childless || over_leaves(run));
    int changed = done ? hold_last_look(&run->hold, &run->plan) : hold_changed(&run->hold);
    if (changed >= 0)
        operand_changed(run, changed);
    /* Waiting writers may continue once no process of the tool reads any more. */
    if (done)
        hold_end(&run->hold);
}

static bool output_waits(const struct run *run)
{
    struct pollfd polled[] = {{.fd = run->tool.out, .events = POLLIN}, {.fd = run->tool.err, .events = POLLIN}};
    return !outbox_empty(&run->out) || poll(polled, 2, 0) > 0;
}

/* Sent after the tool's earlier output, because a stopped shim shows nothing more. Other processes may write for
 * ever. */
static void tell_stop(struct run *run)
{
    if (!run->stopped || (output_waits(run) && clock_ms() < run->stopped_at + STOP_PATIENCE_MS))
        return;
    if (outbox_put(&run->out, FRAME_STOPPED, &run->stopped, 1))
        run->stopped = 0;
}

static void move_connections(struct run *run, const struct pollfd *polled, size_t count)
{
    if (network_step(&run->network, &run->out, polled, count) > 0)
        run->moved_at = clock_ms();
}

/* Both send through one outbox, which may take little. */
static void move_output(struct run *run, const struct pollfd *polled, size_t connections)
{
    run->network_first = !run->network_first;
    if (run->network_first)
        move_connections(run, polled + POLLED, connections);
    pump(run, polled[OUT].revents, polled[ERR].revents);
    if (!run->network_first)
        move_connections(run, polled + POLLED, connections);
}

static void step(struct run *run)
{
    struct pollfd polled[POLLED + NETWORK_POLLED];
    size_t connections;
    wait_for_events(run, polled, &connections);
    if (polled[SELF].revents & (POLLERR | POLLHUP))
        stop_vanish(run);
    if (polled[SIGNALS].revents)
        forget_signals(run->signals);
    if (polled[SIGNALS].revents || run->ended)
        reap(run);
    mind_operands(run);
    if (polled[IN].revents)
        orders_take(run);
    if (run->feed.pipe && polled[FEED].revents & POLLERR)
        feed_close(&run->feed, &run->out);
    feed_step(&run->feed, &run->out, clock_ms());
    move_output(run, polled, connections);
    outbox_flush(&run->out);
    tell_stop(run);
    outbox_flush(&run->out);
    if (run->out.gone)
        stop_vanish(run);
    stop_if_due(run);
}

/* Waits until all frames have left. The end of stdin or the last deadline ends the process. */
static void deliver(struct run *run)
{
    while (outbox_flush(&run->out), !outbox_empty(&run->out)) {
        struct pollfd polled[] = {{.fd = 0, .events = POLLIN}, {.fd = 1, .events = POLLOUT}};
        if (poll(polled, 2, poll_timeout(run->abandon_at)) > 0 && polled[0].revents)
            orders_take(run);
        stop_if_due(run);
    }
}

static void tell_end(struct run *run)
{
    uint8_t payload[7 + USAGE_BYTES + 1] = {0};
    if (WIFSIGNALED(run->status))
        payload[1] = (uint8_t)WTERMSIG(run->status);
    else
        payload[0] = (uint8_t)WEXITSTATUS(run->status);
    payload[2] = (uint8_t)run->cause;
    put_u32(payload + 3, oom_kills() - run->oom_before);
    usage_put(payload + 7);
    payload[7 + USAGE_BYTES] = run->operand;
    outbox_put(&run->out, FRAME_EXIT, payload, sizeof payload);
}

void run_serve(struct run *run)
{
    feed_open(&run->feed, run->tool.in, run->plan.stdio[0] == STDIO_PIPE, &run->out);
    /* What came together with the plan was read with it. */
    orders_obey(run);
    while (!over(run) || run->tool.out >= 0 || run->tool.err >= 0)
        step(run);
    network_close(&run->network);
    deliver(run);
    feed_settle(&run->feed, &run->out);
    tell_end(run);
    deliver(run);
    /* The process that reads what is left must not keep it: one that reads stdin waits for its end. */
    feed_shut(&run->feed);
    left_drop(&run->left);
    run_linger();
}

void run_linger(void)
{
    char rest[4096];
    int64_t until = clock_ms() + LINGER_MS;
    struct pollfd in = {.fd = 0, .events = POLLIN};
    while (getpid() == 1 && poll(&in, 1, poll_timeout(until)) > 0 && read(0, rest, sizeof rest) > 0)
        ;
}

int run_exit_code(const struct run *run)
{
    if (run->cause != CAUSE_OWN)
        return 125;
    return WIFSIGNALED(run->status) ? 128 + WTERMSIG(run->status) : WEXITSTATUS(run->status);
}
