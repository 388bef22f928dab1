#include "operands.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "find.h"
#include "sha256.h"
#include "utf8.h"
#include "way.h"
#include "wire.h"

static const char *why_not_found(int error)
{
    switch (error) {
    case ENOENT: case ENOTDIR:
        return "there is no such file";
    case EACCES:
        return "it may not be reached";
    case ELOOP:
        return "its links cannot be followed";
    default:
        return "it cannot be looked at";
    }
}

/* A file of /proc shows other content to the tool. */
static const char *why_not_plain(int fd, uint64_t budget)
{
    struct stat status;
    struct statfs system;
    if (fstat(fd, &status) != 0 || fstatfs(fd, &system) != 0)
        return "it cannot be looked at";
    if (S_ISDIR(status.st_mode))
        return "it is a directory";
    if (!S_ISREG(status.st_mode) || system.f_type == PROC_SUPER_MAGIC)
        return "it is no plain file";
    return (uint64_t)status.st_size > budget ? "it is too large" : NULL;
}

/* If the file grows while it is read, reading stops at the budget. */
static const char *hash_bytes(int fd, uint64_t *budget, char hex[SHA256_HEX])
{
    static uint8_t bytes[16 * 1024];
    struct sha256 hash;
    ssize_t got;
    sha256_begin(&hash);
    while ((got = read(fd, bytes, sizeof bytes)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return "it cannot be read";
        if ((uint64_t)got > *budget)
            return "it is too large";
        *budget -= (uint64_t)got;
        sha256_add(&hash, bytes, (size_t)got);
    }
    sha256_end(&hash, hex);
    return NULL;
}

static const char not_asked[] = "nobody was asked about it";
static const char agents_own[] = "the agent can change it";

/* The file that is inspected, and what is known of it. */
struct looking {
    struct hold *hold;
    size_t number;
    uint64_t *budget;
    /* NULL while no reason against holding it is known. */
    const char *not_held;
    char hex[SHA256_HEX + 1];
};

/* First held, then read: so the bytes that were read stay unchanged. */
static const char *read_file(const struct way *way, struct looking *looking)
{
    int fd = open(way->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return "it may not be read";
    struct holding holding = {.why_not = looking->not_held};
    if (!holding.why_not)
        holding = hold_file(looking->hold, fd, looking->number);
    looking->not_held = holding.why_not;
    const char *why = holding.written ? holding.why_not : hash_bytes(fd, looking->budget, looking->hex);
    if (holding.why_not)
        close(fd);
    return why;
}

static void operand_add(struct operand *operand, const char *more)
{
    size_t length = strlen(more);
    memcpy(operand->text + operand->length, more, length + 1);
    operand->length += length;
}

static const char *add_path(const struct way *way, struct operand *operand)
{
    char path[PATH_MAX];
    ssize_t length = readlink(way->path, path, sizeof path);
    if (length <= 0 || length == sizeof path || path[0] != '/')
        return "where it really is cannot be told";
    path[length] = 0;
    if (!utf8_valid(path))
        return "where it really is has no name in UTF-8";
    operand_add(operand, path);
    return NULL;
}

/* `held sha256:HEX PATH`, or `not held: why; sha256:HEX PATH`. */
static const char *describe(int fd, struct looking *looking, struct operand *operand)
{
    struct way way = way_to(fd);
    const char *why = why_not_plain(fd, *looking->budget);
    if (!why)
        why = read_file(&way, looking);
    if (why)
        return why;
    operand_add(operand, looking->not_held ? "not held: " : "held");
    operand_add(operand, looking->not_held ? looking->not_held : "");
    operand_add(operand, looking->not_held ? "; sha256:" : " sha256:");
    operand_add(operand, looking->hex);
    operand_add(operand, " ");
    return add_path(&way, operand);
}

static void look(const char *path, struct looking *looking, struct operand *operand)
{
    struct hold_mark before = hold_mark(looking->hold);
    operand->length = 0;
    if (!looking->not_held)
        looking->not_held = watch_way(&looking->hold->watch, path, looking->number);
    int fd = find(path);
    const char *why = fd < 0 ? why_not_found(errno) : describe(fd, looking, operand);
    if (fd >= 0)
        close(fd);
    if (why) {
        operand->length = 0;
        operand_add(operand, "unseen: ");
        operand_add(operand, why);
    }
    if (why || looking->not_held)
        hold_back_to(looking->hold, before);
}

static const char *why_not_held(const struct plan *plan)
{
    if (plan->mirror)
        return agents_own;
    return plan->inspect || plan->expected[0] ? NULL : not_asked;
}

void operands_look(struct operands *operands, const struct plan *plan, struct hold *hold)
{
    uint64_t budget = OPERANDS_READ_MOST;
    hold_begin(hold);
    for (operands->count = 0; plan->operands[operands->count] && operands->count < OPERANDS_MOST; operands->count++) {
        struct looking looking = {hold, operands->count, &budget, why_not_held(plan), ""};
        look(plan->operands[operands->count], &looking, &operands->found[operands->count]);
    }
}

/* The common end of `held` and `not held: why;`. */
static const char *what_was_seen(const char *found)
{
    const char *digest = strstr(found, "sha256:");
    return digest ? digest : found;
}

static void explain(struct text *why, const char *found, const char *expected)
{
    static const char loose[] = "not held: ";
    bool same = strcmp(what_was_seen(found), what_was_seen(expected)) == 0;
    if (!same || strncmp(found, loose, sizeof loose - 1) != 0) {
        text_add(why, " is not what was approved");
        return;
    }
    found += sizeof loose - 1;
    text_add(why, " cannot be held as it was when it was approved: ");
    text_add_bytes(why, found, strcspn(found, ";"));
}

bool operands_changed(const struct operands *operands, const struct plan *plan, struct text *why)
{
    for (size_t i = 0; plan->expected[0] && i < operands->count; i++)
        if (strcmp(operands->found[i].text, plan->expected[i]) != 0) {
            text_add(why, plan->operands[i]);
            explain(why, operands->found[i].text, plan->expected[i]);
            return true;
        }
    return false;
}

size_t operands_encode(const struct operands *operands, uint8_t payload[OPERANDS_FRAME])
{
    uint8_t *at = payload;
    for (size_t i = 0; i < operands->count; i++) {
        size_t length = operands->found[i].length;
        put_u32(at, (uint32_t)length);
        memcpy(at + 4, operands->found[i].text, length + 1);
        at += 4 + length + 1;
    }
    return (size_t)(at - payload);
}
