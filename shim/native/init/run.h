#ifndef CLAWRDEN_RUN_H
#define CLAWRDEN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "feed.h"
#include "frames.h"
#include "gate.h"
#include "hold.h"
#include "left.h"
#include "network.h"
#include "outbox.h"
#include "plan.h"
#include "tool.h"

enum cause { CAUSE_OWN = 0, CAUSE_RUN = 1, CAUSE_IDLE = 2, CAUSE_OUTPUT = 3, CAUSE_CANCEL = 4, CAUSE_OPERAND = 5 };

/* One command, from its plan to its exit frame. Times are values of clock_ms(); 0 means never. */
struct run {
    struct frames in;
    struct outbox out;
    struct plan plan;
    struct tool tool;
    struct feed feed;
    struct network network;
    /* What moved first in the last step: output and connections take turns. */
    bool network_first;
    /* stderr was ready and had to wait. */
    bool err_first;
    /* Reports events of children. */
    int signals;
    enum cause cause;
    /* The approved files, and which of them changed. */
    struct hold hold;
    struct gate gate;
    uint8_t operand;
    /* The tool has ended with `status`; and no process that it started is left. */
    bool ended, childless;
    int status;
    /* Bytes that were read of each output after a tool ended that leaves processes; and where those may still write. */
    uint64_t rest_out, rest_err;
    struct left left;
    /* A stop that was not reported yet: its signal, and its time. */
    uint8_t stopped;
    int64_t stopped_at;
    /* The tool's terminal is read and the bytes are dropped, because the reader is gone. */
    bool unwatched;
    uint64_t output;
    uint32_t oom_before;
    int64_t run_at, moved_at, kill_at, abandon_at;
};

/* Starts the clocks, immediately before the tool starts. */
void run_begin(struct run *run);

/* Serves the tool until none of its processes is left and its end was reported. Ends the process if the gateway is
 * gone. */
void run_serve(struct run *run);

/* After the last frame, as PID 1: waits at most 1 s for the end of stdin. The end of PID 1 makes the engine remove
 * the container, and that must not happen while the gateway renames it. The gateway closes stdin when it has. */
void run_linger(void);

/* The exit status for readers that learn of the end only from the engine: the tool's own, or 125. */
int run_exit_code(const struct run *run);

#endif
