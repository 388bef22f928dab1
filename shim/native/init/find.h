#ifndef CLAWRDEN_FIND_H
#define CLAWRDEN_FIND_H

/* Opens what `path` leads to and touches nothing: no pipe's writer wakes up and no device is opened. Links of /proc
 * would lead the tool elsewhere: they lead nowhere. -1 and errno where that fails. */
int find(const char *path);

#endif
