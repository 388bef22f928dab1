#ifndef CLAWRDEN_PLAN_H
#define CLAWRDEN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stdio_kind { STDIO_CLOSED = 0, STDIO_NULL = 1, STDIO_PIPE = 2, STDIO_TTY = 3, STDIO_SAME = 4 };

enum { PLAN_FILES_MOST = 16 };

/* What to run. The strings point into the bytes that were parsed; a limit of 0 means no limit. */
struct plan {
    bool mirror, stdin_none, terminal, confine;
    /* It has a way out. */
    bool network;
    /* Report the operands and run nothing. */
    bool inspect;
    /* What the tool leaves in the background lives on if it ended by itself. */
    bool leave;
    uint8_t stdio[3];
    uint16_t umask, cols, rows;
    uint64_t ignored, blocked;
    uint32_t run_ms, idle_ms;
    uint64_t output_bytes, file_bytes;
    const char *cwd, *workspace;
    char **argv, **env;
    /* Files that the tool will run, at most OPERANDS_MOST; and what must be found for each, if the plan says so. */
    char **operands, **expected;
    /* Paths in /run/secrets, and what each gets. */
    char **files;
};

/* Parses the payload of a plan frame, which must live as long as the plan. False if it breaks the rules of the wire.
 */
bool plan_parse(struct plan *plan, uint8_t *bytes, size_t length);

#endif
