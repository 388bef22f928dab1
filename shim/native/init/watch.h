#ifndef CLAWRDEN_WATCH_H
#define CLAWRDEN_WATCH_H

#include <limits.h>
#include <stddef.h>

enum { WATCHED_MOST = 192 };

/* An entry of a folder through which a path leads. */
struct watched {
    int folder;
    size_t path;
    char name[NAME_MAX + 1];
};

/* Folders whose entries must stay as they are, so that paths go on leading where they led. */
struct watch {
    /* An inotify, -1 until something is watched. */
    int fd;
    size_t count;
    struct watched entries[WATCHED_MOST];
};

void watch_begin(struct watch *watch);

/* Watches every entry that `path` leads through, links and theirs too, and calls it `number`. NULL, or why it cannot
 * be done. What only root may change needs no watch. Changes count from here on: look at what is there only now. */
const char *watch_way(struct watch *watch, const char *path, size_t number);

/* The number of a path that leads elsewhere now, or did meanwhile; -1 where none does. */
int watch_changed(struct watch *watch);

void watch_end(struct watch *watch);

#endif
