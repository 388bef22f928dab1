#ifndef CLAWRDEN_LEFT_H
#define CLAWRDEN_LEFT_H

/* Where processes that a command of a session left in the background may still write; -1 for nowhere. */
struct left {
    int out, err;
};

/* A process of its own reads both until nobody has their other ends, and drops what it reads: a write of theirs must
 * neither fail nor wait. Closes both here. */
void left_drop(struct left *left);

#endif
