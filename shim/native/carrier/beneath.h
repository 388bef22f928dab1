/* Ways into the tree that nobody who writes in it can lead elsewhere. */
#ifndef CLAWRDEN_CARRIER_BENEATH_H
#define CLAWRDEN_CARRIER_BENEATH_H

#include <stdbool.h>

/* Opens `path` under the folder: no link is followed, no other file system entered, nothing left. An empty path is the folder itself. */
int beneath_open(int folder, const char *path, int flags);

/* The folder that holds `path`, and its last name in `*name`. */
int beneath_parent(int folder, const char *path, const char **name);

enum { RENAME_NEW = 1, RENAME_SWAP = 2 };
int beneath_rename(int from, const char *name, int to, const char *new_name, unsigned how);

#endif
