#ifndef CLAWRDEN_FILE_SYSTEM_H
#define CLAWRDEN_FILE_SYSTEM_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether every writer of the file behind `fd` goes through this kernel and this inode, so that a lease stops all of
 * them. Not so on a network file system or FUSE; nor on overlay, where a writable mapping outlives the open file that
 * a lease checks. */
bool file_system_leases(int fd);

/* The same for the entries of a folder: a watch of the folder reports every change of them. */
bool file_system_tells(int fd);

/* Whether two names may mean the same entry of a folder: then a change of either counts for both. */
bool folder_folds_case(const char *path);

/* Only root may change it (its bytes, or the entries of a folder). Always false if this process is root. */
bool owned_by_root_alone(const struct stat *status);

#endif
