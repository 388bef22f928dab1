#ifndef CLAWRDEN_OPERANDS_H
#define CLAWRDEN_OPERANDS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hold.h"
#include "plan.h"
#include "text.h"

enum {
    OPERANDS_MOST = HELD_MOST,
    /* For all of them together. */
    OPERANDS_READ_MOST = 16 * 1024 * 1024,
    OPERAND_FOUND = PATH_MAX + 256,
    OPERANDS_FRAME = OPERANDS_MOST * (OPERAND_FOUND + 5),
};

struct operand {
    size_t length;
    char text[OPERAND_FOUND];
};

/* What was found for each file that a plan names: `held sha256:HEX PATH`, with the links of the path resolved; or
 * `not held: why; sha256:HEX PATH`; or `unseen: why`. */
struct operands {
    size_t count;
    struct operand found[OPERANDS_MOST];
};

/* Reads them, relative to the current directory, as the current user. Files that are to be held are held before they
 * are read. Never waits for a pipe or a device. */
void operands_look(struct operands *operands, const struct plan *plan, struct hold *hold);

/* Whether one of them is not what the plan expects; `why` says which. */
bool operands_changed(const struct operands *operands, const struct plan *plan, struct text *why);

/* Writes the payload of a frame that reports them; returns its length. */
size_t operands_encode(const struct operands *operands, uint8_t payload[OPERANDS_FRAME]);

#endif
