#ifndef CLAWRDEN_RUN_H
#define CLAWRDEN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "feed.h"
#include "frames.h"
#include "gate.h"
#include "hold.h"
#include "outbox.h"
#include "plan.h"
#include "tool.h"

enum cause { CAUSE_OWN = 0, CAUSE_RUN = 1, CAUSE_IDLE = 2, CAUSE_OUTPUT = 3, CAUSE_CANCEL = 4, CAUSE_OPERAND = 5 };

/* One command, from its plan to its exit frame. Times are clock_ms(); 0 means never. */
struct run {
    struct frames in;
    struct outbox out;
    struct plan plan;
    struct tool tool;
    struct feed feed;
    /* Tells of children. */
    int signals;
    enum cause cause;
    /* What was approved; and which of it changed. */
    struct hold hold;
    struct gate gate;
    uint8_t operand;
    /* The tool has ended, with `status`; and nothing that it started is left. */
    bool ended, childless;
    int status;
    /* A stop that is not told yet: its signal, and since when. */
    uint8_t stopped;
    int64_t stopped_at;
    /* The tool's terminal is read on and thrown away: nobody looks. */
    bool unwatched;
    uint64_t output;
    uint32_t oom_before;
    int64_t run_at, moved_at, kill_at, abandon_at;
};

/* Starts the clocks, just before the tool is started. */
void run_begin(struct run *run);

/* Serves the tool until nothing of it is left and its end was told. Ends the process where the gateway is gone. */
void run_serve(struct run *run);

/* After the last frame, as PID 1: waits at most 1 s for the end of our stdin. Our end makes the engine remove the
 * container, which must not meet the gateway naming it; the gateway closes our stdin when it has. */
void run_linger(void);

/* What the process exits with, for whoever learns of the end from the engine alone: the tool's own, or 125. */
int run_exit_code(const struct run *run);

#endif
