#ifndef CLAWRDEN_CARRIER_SEND_BYTES_H
#define CLAWRDEN_CARRIER_SEND_BYTES_H

#include "stream.h"

enum { CHUNK_MOST = 256 * 1024 };

/* As chunks: u32 number of the entry in this exchange, u64 offset, bytes. Of no bytes one empty chunk. */
void send_bytes(struct stream *stream, uint32_t number, uint64_t offset, const uint8_t *bytes, size_t length);

#endif
