#ifndef CLAWRDEN_CONFINE_H
#define CLAWRDEN_CONFINE_H

/* From now on this process and its children cannot make AF_VSOCK sockets, which reach the hypervisor from every
 * network namespace, and cannot slow or limit the init that is their parent, nor the first process of the container.
 * 0 or errno. */
int confine_self(void);

#endif
