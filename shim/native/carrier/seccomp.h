#ifndef CLAWRDEN_CARRIER_SECCOMP_H
#define CLAWRDEN_CARRIER_SECCOMP_H

#include <stdbool.h>

/* From here on this process makes only the system calls that a carrier makes. Any other ends it at once, with SIGSYS.
 * False if the kernel has no such filters. PR_SET_NO_NEW_PRIVS comes first. */
bool seccomp_begin(void);

#endif
