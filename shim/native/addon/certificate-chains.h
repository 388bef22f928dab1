/* How long a chain of certificates may be that a peer shows. */
#ifndef CLAWRDEN_CERTIFICATE_CHAINS_H
#define CLAWRDEN_CERTIFICATE_CHAINS_H

/* From now on this process looks at so many certificates between a peer's own and one that it trusts, and at none
 * beyond: those of its clients, and those of servers that it is a client of. Returns NULL, or why not. Call it before
 * another thread speaks TLS. */
const char *bound_certificate_chains(int of_clients, int of_servers);

#endif
