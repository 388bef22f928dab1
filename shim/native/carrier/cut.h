/* The client of a carrier asks for nothing while it is answered: a frame that is there says that no more is wanted. */
#ifndef CLAWRDEN_CARRIER_CUT_H
#define CLAWRDEN_CARRIER_CUT_H

#include "stream.h"

/* Begin with zeros. */
struct cut {
    int64_t looked;
    bool said;
};

/* Looks once a millisecond at most. */
bool cut_said(struct cut *cut, const struct stream *stream);

#endif
