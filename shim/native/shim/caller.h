#ifndef CLAWRDEN_CALLER_H
#define CLAWRDEN_CALLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A stdin that cannot be read counts as closed. */
enum caller_stdio { CALLER_CLOSED, CALLER_NULL, CALLER_TTY, CALLER_PIPE, CALLER_SOCKET, CALLER_FILE, CALLER_DEVICE };

/* The state in which this process was started, read before anything changes it. */
struct caller {
    enum caller_stdio stdio[3];
    /* Descriptors 1 and 2 are the same open file. */
    bool joined;
    mode_t umask;
    uint64_t ignored;
    /* The signals that were blocked. */
    sigset_t blocked;
    /* A descriptor that is a terminal, or -1. */
    int terminal;
    uint16_t cols, rows;
};

void caller_look(struct caller *caller);

/* The name on the wire: tty, pipe, file, null, closed. */
const char *caller_stdio_name(enum caller_stdio stdio);

#endif
