#ifndef CLAWRDEN_FIND_H
#define CLAWRDEN_FIND_H

/* Opens what `path` leads to without side effects: it wakes no writer of a pipe and opens no device. Links of /proc
 * are refused, because they lead the tool elsewhere. -1 and errno on failure. */
int find(const char *path);

#endif
