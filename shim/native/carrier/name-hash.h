#ifndef CLAWRDEN_CARRIER_NAME_HASH_H
#define CLAWRDEN_CARRIER_NAME_HASH_H

#include <stddef.h>
#include <stdint.h>

/* SipHash-1-3 of a folder and a name: who chooses names cannot make them fall into one bucket. */
uint64_t name_hash(const uint64_t key[2], const void *folder, const char *name, size_t length);

/* The same for a number. */
uint64_t number_hash(const uint64_t key[2], uint64_t number);

#endif
