/* Reads a file of the index, a part of it at a time: all of a large one would take as much memory as what is made of it. */
#ifndef CLAWRDEN_CARRIER_SAVED_READER_H
#define CLAWRDEN_CARRIER_SAVED_READER_H

#include "index.h"

struct loading {
    struct index *index;
    struct reader reader;
    int fd;
    /* Where the next part begins, and where what is read ends. */
    uint64_t at, end;
    /* Of BLOCK_BYTES. */
    uint8_t *buffer;
    struct sha256 hash;
    /* Of the numbers at the beginning, what is not the index's. */
    uint64_t epoch, device;
};

/* It reads what is in the file between `at` and `end`. */
void loading_begin(struct loading *loading, uint64_t at, uint64_t end);

/* So many bytes are in the reader, where the file has them. */
void loading_need(struct loading *loading, size_t length);

uint8_t loading_flags(struct loading *loading);
void loading_numbers(struct loading *loading);

/* What is behind an entry's name. The entry is what is read, whatever it was. */
void loading_facts(struct loading *loading, struct entry *entry, uint8_t flags);

/* All was read, and the checksum behind it holds. */
bool loading_holds(struct loading *loading, uint8_t checksum[SHA256_BYTES]);

#endif
