#ifndef CLAWRDEN_CARRIER_XATTRS_H
#define CLAWRDEN_CARRIER_XATTRS_H

#include "words.h"

/* What is carried of the attributes of an open file or folder: user.* and the access lists. False where it is too much
 * (E2BIG or ERANGE), or cannot be read. */
bool xattrs_read(int fd, struct xattrs *xattrs);

/* Zeros of none. */
void xattrs_id(const struct xattrs *xattrs, uint8_t id[SHA256_BYTES]);

/* Whether the bytes are what xattrs_read could have made. */
bool xattrs_valid(const uint8_t *bytes, size_t length);

/* Makes them so: sets these and takes others away. False where something could not be done. */
bool xattrs_apply(int fd, const struct xattrs *xattrs);

#endif
