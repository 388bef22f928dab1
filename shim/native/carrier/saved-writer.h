/* Writes a file of the index, and hashes what it writes. */
#ifndef CLAWRDEN_CARRIER_SAVED_WRITER_H
#define CLAWRDEN_CARRIER_SAVED_WRITER_H

#include "carrier.h"

struct writer {
    int fd;
    uint64_t at;
    bool failed;
    size_t held;
    struct sha256 hash;
    uint8_t bytes[64 * 1024];
};

/* It writes to `fd` from `at` on. */
void writer_begin(struct writer *writer, int fd, uint64_t at);
void writer_add(struct writer *writer, const void *bytes, size_t length);
void writer_numbers(struct writer *writer, const struct carrier *carrier);
void writer_path(struct writer *writer, const char *path);

/* An entry: what is to be read first, and the rest behind its name. */
uint8_t writer_flags(const struct entry *entry);
void writer_facts(struct writer *writer, const struct entry *entry);

/* The checksum of all since the beginning, which is written, too. False if something was not. */
bool writer_end(struct writer *writer, uint8_t checksum[SHA256_BYTES]);

#endif
