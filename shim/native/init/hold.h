#ifndef CLAWRDEN_HOLD_H
#define CLAWRDEN_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "plan.h"
#include "watch.h"

enum { HELD_MOST = 8 };

/* A file that nobody writes unseen: who would write it waits for us (a read lease), and who leads its path elsewhere is
 * noticed at once (a watch). */
struct held {
    size_t number;
    int fd;
    bool leased;
    struct stat is;
};

struct hold {
    struct watch watch;
    size_t count;
    struct held files[HELD_MOST];
};

void hold_begin(struct hold *hold);

/* What became of the wish to hold a file. */
struct holding {
    /* NULL: it is held. */
    const char *why_not;
    /* Somebody is writing it. */
    bool written;
};

/* Holds the plain file that `fd` has open for reading only, found behind the operand `number`, whose way is watched.
 * Takes `fd` where it does. */
struct holding hold_file(struct hold *hold, int fd, size_t number);

/* How much of it there is, to come back to. */
struct hold_mark {
    size_t files, watched;
};

struct hold_mark hold_mark(const struct hold *hold);

/* Lets go of what came since. */
void hold_back_to(struct hold *hold, struct hold_mark mark);

/* The number of an operand that was changed, or is about to be; -1 where none was. */
int hold_changed(struct hold *hold);

/* The same, and looks at where their paths lead: at the end. */
int hold_last_look(struct hold *hold, const struct plan *plan);

/* Lets go: those who wait to write go on. */
void hold_end(struct hold *hold);

#endif
