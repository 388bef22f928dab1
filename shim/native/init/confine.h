#ifndef CLAWRDEN_CONFINE_H
#define CLAWRDEN_CONFINE_H

/* From here on this process and its children make no AF_VSOCK socket, which would reach past every network
 * namespace to the hypervisor. 0 or errno. */
int confine_self(void);

#endif
