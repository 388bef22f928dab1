#include "operands.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sha256.h"
#include "utf8.h"
#include "wire.h"

/* A path to whatever a descriptor of ours leads to. */
struct way {
    char path[32];
};

static struct way way_to(int fd)
{
    struct way way = {"/proc/self/fd/"};
    char digits[12], *at = digits + sizeof digits - 1;
    *at = 0;
    do
        *--at = (char)('0' + fd % 10);
    while ((fd /= 10) > 0);
    strcat(way.path, at);
    return way;
}

/* Touches nothing: no pipe's writer wakes up and no device is opened. Links of /proc would lead the tool elsewhere. */
static int find(const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

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

/* Nothing of /proc says the same to the tool. */
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

/* One that grows while it is read ends at the budget. */
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

static const char *hash_file(const struct way *way, uint64_t *budget, char hex[SHA256_HEX])
{
    int fd = open(way->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return "it may not be read";
    const char *why = hash_bytes(fd, budget, hex);
    close(fd);
    return why;
}

static const char *describe(int fd, uint64_t *budget, char found[OPERAND_FOUND])
{
    static const char prefix[] = "sha256:";
    enum { HEX_AT = sizeof prefix - 1, PATH_AT = HEX_AT + SHA256_HEX + 1 };
    struct way way = way_to(fd);
    const char *why = why_not_plain(fd, *budget);
    if (!why)
        why = hash_file(&way, budget, found + HEX_AT);
    if (why)
        return why;
    memcpy(found, prefix, HEX_AT);
    found[PATH_AT - 1] = ' ';
    ssize_t length = readlink(way.path, found + PATH_AT, PATH_MAX);
    if (length <= 0 || length == PATH_MAX || found[PATH_AT] != '/')
        return "where it really is cannot be told";
    found[PATH_AT + length] = 0;
    return utf8_valid(found + PATH_AT) ? NULL : "where it really is has no name in UTF-8";
}

static void look(const char *path, uint64_t *budget, char found[OPERAND_FOUND])
{
    int fd = find(path);
    const char *why = fd < 0 ? why_not_found(errno) : describe(fd, budget, found);
    if (fd >= 0)
        close(fd);
    if (why)
        strcat(strcpy(found, "unseen: "), why);
}

void operands_look(struct operands *operands, const struct plan *plan)
{
    uint64_t budget = OPERANDS_READ_MOST;
    operands->count = 0;
    for (char **path = plan->operands; *path && operands->count < OPERANDS_MOST; path++)
        look(*path, &budget, operands->found[operands->count++]);
}

const char *operands_changed(const struct operands *operands, const struct plan *plan)
{
    for (size_t i = 0; plan->expected[0] && i < operands->count; i++)
        if (strcmp(operands->found[i], plan->expected[i]) != 0)
            return plan->operands[i];
    return NULL;
}

size_t operands_encode(const struct operands *operands, uint8_t payload[OPERANDS_FRAME])
{
    uint8_t *at = payload;
    for (size_t i = 0; i < operands->count; i++) {
        size_t length = strlen(operands->found[i]);
        put_u32(at, (uint32_t)length);
        memcpy(at + 4, operands->found[i], length + 1);
        at += 4 + length + 1;
    }
    return (size_t)(at - payload);
}
