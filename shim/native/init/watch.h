#ifndef CLAWRDEN_WATCH_H
#define CLAWRDEN_WATCH_H

#include <limits.h>
#include <stddef.h>

enum { WATCHED_MOST = 192 };

/* An entry of a folder on a path. */
struct watched {
    int folder;
    size_t path;
    char name[NAME_MAX + 1];
};

/* Folders whose entries must stay unchanged, so that paths keep their targets. */
struct watch {
    /* An inotify descriptor, -1 until something is watched. */
    int fd;
    size_t count;
    struct watched entries[WATCHED_MOST];
};

void watch_begin(struct watch *watch);

/* Watches every entry on `path`, also on the paths of its links, under the name `number`. NULL, or the reason for the
 * failure. An entry that only root may change needs no watch. Changes count from here on, so inspect the file only
 * after this. */
const char *watch_way(struct watch *watch, const char *path, size_t number);

/* The number of a path that leads elsewhere now, or did so meanwhile; -1 if there is none such. */
int watch_changed(struct watch *watch);

void watch_end(struct watch *watch);

#endif
