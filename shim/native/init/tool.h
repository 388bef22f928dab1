#ifndef CLAWRDEN_TOOL_H
#define CLAWRDEN_TOOL_H

#include <sys/types.h>

#include "gate.h"
#include "plan.h"

/* The process that is run for someone, and the init's ends of its stdio; -1 where there is none. */
struct tool {
    pid_t pid;
    /* `in` and `out` are both the master where the tool has a terminal. */
    int in, out, err;
    /* The tool's side of its terminal, kept open so that the master does not hang up between two users of it. */
    int slave;
    /* What becomes its descriptors 0 to 2, until it runs. */
    int theirs[3];
};

/* Makes the pipes and the terminal. 0 or errno. */
int tool_open(struct tool *tool, const struct plan *plan);

/* Forks and executes `path`; a file of no known format is given to /bin/sh, as a shell would. 0; or the errno of the
 * exec; or, negative, the errno of what had to be set up before. Then nothing runs. The gate, if any, stands over it. */
int tool_start(struct tool *tool, const struct plan *plan, const char *path, char **env, struct gate *gate);

/* To its process group; or to it alone, where it has left that. */
void tool_signal(const struct tool *tool, int number);

#endif
