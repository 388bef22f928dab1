#ifndef CLAWRDEN_OPERANDS_H
#define CLAWRDEN_OPERANDS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"

enum {
    OPERANDS_MOST = 8,
    /* Of all of them together. */
    OPERANDS_READ_MOST = 16 * 1024 * 1024,
    OPERAND_FOUND = PATH_MAX + 80,
    OPERANDS_FRAME = OPERANDS_MOST * (OPERAND_FOUND + 5),
};

/* What was found of each file that a plan names: `sha256:HEX PATH`, the path with its links resolved, or `unseen: why`. */
struct operands {
    size_t count;
    char found[OPERANDS_MOST][OPERAND_FOUND];
};

/* Reads them, relative to the current directory, as who we are. Never waits for a pipe or a device. */
void operands_look(struct operands *operands, const struct plan *plan);

/* The first of the plan's files that is not what the plan expects of it; NULL where all are. */
const char *operands_changed(const struct operands *operands, const struct plan *plan);

/* The payload of a frame that tells them; returns its length. */
size_t operands_encode(const struct operands *operands, uint8_t payload[OPERANDS_FRAME]);

#endif
