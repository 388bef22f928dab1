#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "operands.h"
#include "wire.h"

enum { PLAN_VERSION = 4, FIXED_BYTES = 51 };
enum { FLAG_MIRROR = 1, FLAG_STDIN_NONE = 2, FLAG_TERMINAL = 4, FLAG_CONFINE = 8, FLAG_INSPECT = 16, FLAG_NETWORK = 32, FLAG_LEAVE = 64, FLAGS_KNOWN = 127 };

struct cursor {
    uint8_t *at, *end;
};

static bool parse_fixed(struct plan *plan, struct cursor *cursor)
{
    const uint8_t *at = cursor->at;
    if (cursor->end - at < FIXED_BYTES || at[0] != PLAN_VERSION || (at[1] & ~FLAGS_KNOWN) != 0)
        return false;
    plan->mirror = at[1] & FLAG_MIRROR;
    plan->stdin_none = at[1] & FLAG_STDIN_NONE;
    plan->terminal = at[1] & FLAG_TERMINAL;
    plan->confine = at[1] & FLAG_CONFINE;
    plan->inspect = at[1] & FLAG_INSPECT;
    plan->network = at[1] & FLAG_NETWORK;
    plan->leave = at[1] & FLAG_LEAVE;
    memcpy(plan->stdio, at + 2, sizeof plan->stdio);
    plan->umask = get_u16(at + 5);
    plan->cols = get_u16(at + 7);
    plan->rows = get_u16(at + 9);
    plan->ignored = get_u64(at + 11);
    plan->blocked = get_u64(at + 19);
    plan->run_ms = get_u32(at + 27);
    plan->idle_ms = get_u32(at + 31);
    plan->output_bytes = get_u64(at + 35);
    plan->file_bytes = get_u64(at + 43);
    cursor->at += FIXED_BYTES;
    return true;
}

static bool stdio_sound(const struct plan *plan)
{
    for (int fd = 0; fd < 3; fd++) {
        uint8_t kind = plan->stdio[fd];
        if (kind > (fd == 2 ? STDIO_SAME : STDIO_TTY) || (kind == STDIO_TTY && !plan->terminal))
            return false;
    }
    return true;
}

static char *parse_string(struct cursor *cursor)
{
    if (cursor->end - cursor->at < 4)
        return NULL;
    uint32_t length = get_u32(cursor->at);
    char *string = (char *)cursor->at + 4;
    if ((size_t)(cursor->end - cursor->at) < (size_t)length + 5 || memchr(string, 0, length) || string[length] != 0)
        return NULL;
    cursor->at += (size_t)length + 5;
    return string;
}

static char **parse_list(struct cursor *cursor)
{
    if (cursor->end - cursor->at < 2)
        return NULL;
    size_t count = get_u16(cursor->at);
    cursor->at += 2;
    char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (!(list[i] = parse_string(cursor)))
            return NULL;
    return list;
}

static size_t count(char *const *list)
{
    size_t counted = 0;
    while (list[counted])
        counted++;
    return counted;
}

static bool operands_sound(const struct plan *plan)
{
    size_t expected = count(plan->expected), operands = count(plan->operands);
    return operands <= OPERANDS_MOST && (expected == 0 || expected == operands);
}

/* Pairs of a path and what is written there. */
static bool files_sound(char *const *files)
{
    static const char folder[] = "/run/secrets/";
    size_t strings = count(files);
    for (size_t i = 0; i + 1 < strings; i += 2) {
        const char *name = files[i] + sizeof folder - 1;
        if (strncmp(files[i], folder, sizeof folder - 1) != 0 || !*name || strchr(name, '/') || name[0] == '.')
            return false;
    }
    return strings % 2 == 0 && strings <= 2 * PLAN_FILES_MOST;
}

bool plan_parse(struct plan *plan, uint8_t *bytes, size_t length)
{
    struct cursor cursor = {bytes, bytes + length};
    return parse_fixed(plan, &cursor) && stdio_sound(plan) && !((plan->mirror || plan->leave) && plan->network)
        && !(plan->mirror && plan->leave)
        && (plan->cwd = parse_string(&cursor)) && plan->cwd[0] == '/'
        && (plan->workspace = parse_string(&cursor))
        && (plan->argv = parse_list(&cursor)) && plan->argv[0]
        && (plan->env = parse_list(&cursor))
        && (plan->operands = parse_list(&cursor))
        && (plan->expected = parse_list(&cursor))
        && operands_sound(plan)
        && (plan->files = parse_list(&cursor)) && files_sound(plan->files)
        && cursor.at == cursor.end;
}
