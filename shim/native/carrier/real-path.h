#ifndef CLAWRDEN_CARRIER_REAL_PATH_H
#define CLAWRDEN_CARRIER_REAL_PATH_H

/* The folder (O_PATH) at an absolute path without symbolic links: root must not be led elsewhere. ELOOP if there is one. */
int real_path(const char *path);

#endif
