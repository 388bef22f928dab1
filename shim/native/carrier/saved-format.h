#ifndef CLAWRDEN_CARRIER_SAVED_FORMAT_H
#define CLAWRDEN_CARRIER_SAVED_FORMAT_H

#include "words.h"

#define SAVED_MAGIC "clawrden-index-3"

enum {
    SAVED_END = 0,
    SAVED_ENTRY = 1,
    SAVED_BASE = 2,
    SAVED_BLOCKS = 4,
    SAVED_UNREADABLE = 8,
    SAVED_UNSTABLE = 16,
    SAVED_BELIEVED = 32,
};

#endif
