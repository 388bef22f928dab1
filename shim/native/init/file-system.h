#ifndef CLAWRDEN_FILE_SYSTEM_H
#define CLAWRDEN_FILE_SYSTEM_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether every writer of what `fd` leads to goes through this kernel and these inodes, so that a lease holds all of
 * them back. Not so behind a network or FUSE; nor on overlay, where a writable mapping outlives the open file that a
 * lease asks for. */
bool file_system_leases(int fd);

/* The same for what becomes of a folder's entries: all of them are told to whoever watches the folder. */
bool file_system_tells(int fd);

/* Whether two names of a folder's entry may be one: then what became of an entry is told by either. */
bool folder_folds_case(const char *path);

/* Only root may change it: its bytes, or the entries of a folder. Never so where we are root. */
bool owned_by_root_alone(const struct stat *status);

#endif
