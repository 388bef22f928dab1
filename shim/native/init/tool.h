#ifndef CLAWRDEN_TOOL_H
#define CLAWRDEN_TOOL_H

#include <sys/types.h>

#include "gate.h"
#include "plan.h"

/* The tool's process, and the init's ends of its stdio; -1 if there is none. */
struct tool {
    pid_t pid;
    /* If the tool has a terminal, `in` and `out` are both its master. */
    int in, out, err;
    /* The tool's side of its terminal, kept open so that the master does not hang up between two users of it. */
    int slave;
    /* The files that become the tool's descriptors 0 to 2, until it runs. */
    int theirs[3];
};

/* Makes the pipes and the terminal. 0 or errno. */
int tool_open(struct tool *tool, const struct plan *plan);

/* Forks and executes `path`. If the kernel does not know the file's format, /bin/sh runs it, as in a shell. Returns
 * 0; or the errno of the exec; or, negated, the errno of an earlier step. On an error nothing runs. The gate, if
 * there is one, traces the tool. */
int tool_start(struct tool *tool, const struct plan *plan, const char *path, char **env, struct gate *gate);

/* To the tool's process group; or to the tool alone, if it has left that group. */
void tool_signal(const struct tool *tool, int number);

#endif
