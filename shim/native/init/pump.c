#include "pump.h"

#include <errno.h>
#include <unistd.h>

#include "clock.h"
#include "descriptors.h"
#include "over.h"
#include "stop.h"

/* The most that a tool can make of a pipe. */
enum { PIPE_MOST = 1024 * 1024 };

/* Above the limit the rest is cut, and the init reads no more. */
static size_t within_limit(struct run *run, size_t length)
{
    uint64_t limit = run->plan.output_bytes;
    uint64_t left = limit - run->output;
    if (limit == 0 || length <= left)
        return length;
    stop_hard(run, CAUSE_OUTPUT);
    /* A tool that has ended may have left this much behind: what is cut is not its own end. */
    if (run->cause == CAUSE_OWN)
        run->cause = CAUSE_OUTPUT;
    descriptor_shut(&run->tool.out);
    descriptor_shut(&run->tool.err);
    return (size_t)left;
}

static uint64_t *rest_of(struct run *run, uint8_t type)
{
    return type == FRAME_STDOUT ? &run->rest_out : &run->rest_err;
}

static void send_chunk(struct run *run, uint8_t type, size_t length)
{
    run->moved_at = clock_ms();
    if (run->ended)
        *rest_of(run, type) += length;
    length = within_limit(run, length);
    run->output += length;
    if (length == 0 || (run->unwatched && type == FRAME_STDOUT))
        return;
    outbox_fill(&run->out, type, length);
    outbox_flush(&run->out);
}

/* Processes that the tool left may write for ever. All of its own bytes are among the first that a pipe can hold. */
static bool leave(struct run *run, int *fd, uint8_t type, bool empty)
{
    if (!over_leaves(run) || (!empty && *rest_of(run, type) < PIPE_MOST))
        return false;
    int *left = type == FRAME_STDOUT ? &run->left.out : &run->left.err;
    if (run->plan.terminal)
        descriptor_shut(fd);
    else
        *left = *fd;
    *fd = -1;
    return true;
}

static void pump_one(struct run *run, int *fd, uint8_t type)
{
    if (*fd < 0 || !outbox_empty(&run->out))
        return;
    if (leave(run, fd, type, false))
        return;
    /* What KILL does not reach may write for ever, too. */
    if (stop_reaped_enough(run) && *rest_of(run, type) >= PIPE_MOST) {
        descriptor_shut(fd);
        return;
    }
    ssize_t got = read(*fd, outbox_hole(&run->out), OUTBOX_CHUNK);
    if (got > 0)
        send_chunk(run, type, (size_t)got);
    else if (got < 0 && errno == EAGAIN && leave(run, fd, type, true))
        return;
    /* What still has the other end is not the tool's, or KILL does not reach it: another user's, or one that waits for a
     * disk. */
    else if (got == 0 || errno == EIO || (errno == EAGAIN && over(run)))
        descriptor_shut(fd);
}

void pump(struct run *run, short out_events, short err_events)
{
    bool last = over(run);
    /* While the init has the terminal's other side open, the master never ends. */
    if (last)
        descriptor_shut(&run->tool.slave);
    bool err_first = run->err_first;
    if (!err_first && (out_events || last))
        pump_one(run, &run->tool.out, FRAME_STDOUT);
    if (err_events || last) {
        run->err_first = !outbox_empty(&run->out);
        pump_one(run, &run->tool.err, FRAME_STDERR);
    }
    if (err_first && (out_events || last))
        pump_one(run, &run->tool.out, FRAME_STDOUT);
}

void pump_close(struct run *run, int fd)
{
    if (fd != 1 && fd != 2)
        return;
    uint8_t kind = run->plan.stdio[fd] == STDIO_SAME ? run->plan.stdio[1] : run->plan.stdio[fd];
    if (kind == STDIO_TTY)
        run->unwatched = true;
    else if (fd == 1 || run->plan.stdio[2] == STDIO_SAME)
        descriptor_shut(&run->tool.out);
    else
        descriptor_shut(&run->tool.err);
}
