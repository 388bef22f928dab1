/* Ways into the tree that nobody who writes in it can lead elsewhere. */
#ifndef CLAWRDEN_CARRIER_BENEATH_H
#define CLAWRDEN_CARRIER_BENEATH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens `path` under the folder: no link is followed, no other file system entered, nothing left. An empty path is the folder itself. */
int beneath_open(int folder, const char *path, int flags);

/* The folder that holds `path`, and its last name in `*name`. */
int beneath_parent(int folder, const char *path, const char **name);

/* Gives a mode to what may not be opened. 0, or -1. If the kernel can only do it by following a link, it is done if `follows`. */
int beneath_mode(int folder, const char *name, mode_t mode, bool follows);

/* 0 if there is none of that name. */
uint64_t beneath_inode(int folder, const char *name);

enum { RENAME_NEW = 1, RENAME_SWAP = 2 };
int beneath_rename(int from, const char *name, int to, const char *new_name, unsigned how);

#endif
