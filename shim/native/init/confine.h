#ifndef CLAWRDEN_CONFINE_H
#define CLAWRDEN_CONFINE_H

/* From now on this process and its children cannot make AF_VSOCK sockets, which reach the hypervisor from every
 * network namespace. 0 or errno. */
int confine_self(void);

#endif
