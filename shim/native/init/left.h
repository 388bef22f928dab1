#ifndef CLAWRDEN_LEFT_H
#define CLAWRDEN_LEFT_H

/* Where processes that a command of a session left in the background may still write; -1 for nowhere. */
struct left {
    int out, err;
};

/* Forks a process that reads both until no process can write there any more, and drops what it reads: a process that
 * writes there must neither fail nor wait. Closes both here. */
void left_drop(struct left *left);

#endif
