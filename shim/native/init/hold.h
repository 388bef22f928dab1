#ifndef CLAWRDEN_HOLD_H
#define CLAWRDEN_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "plan.h"
#include "watch.h"

enum { HELD_MOST = 8 };

/* A file that no process can write unnoticed: a writer waits for the init (a read lease), and the init notices at
 * once if its path changes (a watch). */
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

/* The result of an attempt to hold a file. */
struct holding {
    /* NULL if it is held, else the reason. */
    const char *why_not;
    /* Another process is writing it. */
    bool written;
};

/* Holds the plain file behind `fd`, which is open for reading only and was found for the operand `number`, whose path
 * is watched. Takes ownership of `fd` if it succeeds. */
struct holding hold_file(struct hold *hold, int fd, size_t number);

/* How many files and watches there are, to return to later. */
struct hold_mark {
    size_t files, watched;
};

struct hold_mark hold_mark(const struct hold *hold);

/* Releases what was added since. */
void hold_back_to(struct hold *hold, struct hold_mark mark);

/* The number of an operand that was changed, or is about to be; -1 if none was. */
int hold_changed(struct hold *hold);

/* The same, and also checks where the paths lead: at the end. */
int hold_last_look(struct hold *hold, const struct plan *plan);

/* Releases everything: waiting writers continue. */
void hold_end(struct hold *hold);

#endif
