#ifndef CLAWRDEN_CARRIER_STAGE_H
#define CLAWRDEN_CARRIER_STAGE_H

#include "exchange.h"

/* Makes what can be made of an entry before its bytes are there. */
void stage_entry(struct carrier *carrier, struct op *op);

/* The disk is full, or something nobody foresaw, as errno says: the exchange cannot be taken any more. */
void stage_wrong(struct carrier *carrier);

/* Bytes of a staged file, in the order of each of its blocks. False where the stream breaks the rules. */
bool stage_bytes(struct carrier *carrier, uint32_t number, uint64_t offset, const uint8_t *bytes, size_t length);

/* A block of a file that is here already. */
void stage_block(struct carrier *carrier, struct op *op, uint32_t block, const uint8_t *bytes, size_t length);

/* A file whose bytes do not come inline: empty, of its full size. */
bool stage_empty(struct carrier *carrier, struct op *op);

/* Stages another name of a file whose bytes came later. */
void stage_other_name(struct carrier *carrier, struct op *op);

/* Stages another name of the file that is in the tree, in place of what was staged. */
void stage_name_of_living(struct carrier *carrier, struct op *op);

/* What was staged and is not to be moved in. */
void stage_drop(struct carrier *carrier, struct op *op);

/* Owner, mode, attributes and times of something open. */
void stage_finish(struct op *op, int fd);

#endif
