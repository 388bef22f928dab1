#ifndef CLAWRDEN_GATE_H
#define CLAWRDEN_GATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "hold.h"

/* Traces a tool from its exec until it has opened every held file. It lets the tool continue after a system call only
 * if no path leads elsewhere, so the tool never reads another file than the one that was inspected. */
struct gate {
    /* `used`: a process was traced at some time. `open`: all processes may continue without tracing. */
    bool used, open;
    /* Stops so far, and the number at which tracing ends. */
    unsigned passed, last;
    bool seen[HELD_MOST];
};

/* In the parent, before the exec of `child`. If this machine does not allow tracing, there is no gate. What a
 * tool leaves is traced until the init ends, and lives on if `leave`; else all of it dies with the init. */
void gate_begin(struct gate *gate, pid_t child, bool leave);

/* What a stop meant, after the process was continued if it may be. */
struct passing {
    /* The operand whose path leads elsewhere (the process is then not continued); else -1. */
    int changed;
    /* The signal if the process stays stopped for job control; else 0. */
    int stopped;
};

/* Handles a stop that waitpid reported. */
struct passing gate_pass(struct gate *gate, struct hold *hold, const struct plan *plan, pid_t pid, int status);

#endif
