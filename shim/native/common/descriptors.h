#ifndef CLAWRDEN_DESCRIPTORS_H
#define CLAWRDEN_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

/* Makes sure that no file opened later becomes descriptor 0, 1 or 2. The files that fill a gap are closed at exec. */
bool descriptors_guard(void);

/* Closes every inherited descriptor above 2. */
void descriptors_close_inherited(void);

/* Closes it, if it is open, and forgets it: -1. */
void descriptor_shut(int *fd);

/* All of the bytes, by blocking writes. False, with errno, if one failed. */
bool descriptor_write(int fd, const char *bytes, size_t length);

#endif
