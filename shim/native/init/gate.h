#ifndef CLAWRDEN_GATE_H
#define CLAWRDEN_GATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "hold.h"

/* Stands over a tool from its exec until it has opened every file that is held: it goes on from a system call only where
 * no path leads elsewhere, so that it never reads from another file than the one that was looked at. */
struct gate {
    /* Somebody was ever traced; and everybody may go on alone now. */
    bool used, open;
    /* Stops so far, and with which it ends. */
    unsigned passed, last;
    bool seen[HELD_MOST];
};

/* In the parent, before the exec of `child`. Where this machine does not let us, nobody stands over it. */
void gate_begin(struct gate *gate, pid_t child);

/* What a stop of a process was, once it goes on again where it may. */
struct passing {
    /* An operand whose path leads elsewhere, and the process does not go on; else -1. */
    int changed;
    /* The signal, where it stays stopped as job control has it; else 0. */
    int stopped;
};

/* Takes what waitpid says of a stop. */
struct passing gate_pass(struct gate *gate, struct hold *hold, const struct plan *plan, pid_t pid, int status);

#endif
