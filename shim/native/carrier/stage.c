#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "area.h"
#include "beneath.h"
#include "content.h"
#include "descriptors.h"
#include "flush.h"
#include "late.h"
#include "xattrs.h"

static uint32_t number_of(const struct carrier *carrier, const struct op *op)
{
    return (uint32_t)(op - carrier->receiving->ops);
}

/* What waits in graves makes room for the next try. What was staged is of no use any more, and others need its room. */
static void make_room(struct carrier *carrier)
{
    late_end(carrier);
    descriptor_shut(&carrier->receiving->writing.fd);
    area_remove(carrier, "stage");
}

/* The disk is full, or something nobody foresaw: the exchange cannot be taken any more. */
void stage_wrong(struct carrier *carrier)
{
    bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    if (full)
        make_room(carrier);
    if (!carrier->receiving->wrong)
        carrier->receiving->wrong = full ? "workspace-full: there is no room to stage the changes"
                                         : "carrier-failed: the changes cannot be staged";
}

static int staged_folder(struct carrier *carrier, const struct op *op, const char **name)
{
    static char path[PATH_MOST + 16];
    stage_path(carrier, op, path);
    return way_to(&carrier->receiving->staged, carrier->receiving->stage, path, name);
}

static void apply_xattrs(struct op *op, int fd)
{
    static struct xattrs xattrs;
    xattrs.length = op->xattrs_length;
    memcpy(xattrs.bytes, op->xattrs, op->xattrs_length);
    xattrs_apply(fd, &xattrs);
}

void stage_finish(struct op *op, int fd)
{
    const struct record *wanted = &op->wanted;
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, time_of(wanted->mtime)};
    if (fchown(fd, wanted->uid, wanted->gid) != 0)
        op->owner_differs = true;
    /* Attributes are set by who may write. */
    fchmod(fd, wanted->mode | S_IWUSR);
    apply_xattrs(op, fd);
    if (!(wanted->mode & S_IWUSR))
        fchmod(fd, wanted->mode);
    futimens(fd, times);
}

static void finish_link(struct op *op, int folder, const char *name)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, time_of(op->wanted.mtime)};
    if (fchownat(folder, name, op->wanted.uid, op->wanted.gid, AT_SYMLINK_NOFOLLOW) != 0)
        op->owner_differs = true;
    utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW);
}

static int open_file(struct carrier *carrier, struct op *op, int flags)
{
    struct writing *writing = &carrier->receiving->writing;
    const char *name;
    int folder = staged_folder(carrier, op, &name);
    descriptor_shut(&writing->fd);
    writing->fd = folder < 0 ? -1 : openat(folder, name, flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    writing->number = number_of(carrier, op);
    writing->next = UINT64_MAX;
    if (writing->fd < 0)
        stage_wrong(carrier);
    return writing->fd;
}

bool stage_empty(struct carrier *carrier, struct op *op)
{
    op->staged = open_file(carrier, op, O_CREAT | O_EXCL) >= 0;
    return op->staged;
}

/* Gives the file at `path` under `base` another name in the stage. */
static void stage_name(struct carrier *carrier, struct op *op, int base, const char *path)
{
    const char *name, *first_name;
    struct way first = {.fd = -1};
    struct stat status;
    int from = way_to(&first, base, path, &first_name);
    int folder = staged_folder(carrier, op, &name);
    op->staged = from >= 0 && folder >= 0 && linkat(from, first_name, folder, name, 0) == 0
        && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
    way_close(&first);
}

void stage_name_of_living(struct carrier *carrier, struct op *op)
{
    const char *name;
    int folder = staged_folder(carrier, op, &name);
    if (op->staged && folder >= 0)
        unlinkat(folder, name, 0);
    stage_name(carrier, op, carrier->root, op->target);
}

void stage_other_name(struct carrier *carrier, struct op *op)
{
    static char path[PATH_MOST + 16];
    const struct op *target = op_at(carrier, op->target);
    if (!target || !target->staged || target->kind != CHANGE_PUT || target->wanted.type != TYPE_FILE)
        return;
    stage_path(carrier, target, path);
    stage_name(carrier, op, carrier->receiving->stage, path);
}

void stage_drop(struct carrier *carrier, struct op *op)
{
    const char *name;
    int folder = staged_folder(carrier, op, &name);
    if (folder < 0 || (unlinkat(folder, name, 0) != 0 && errno != ENOENT))
        stage_wrong(carrier);
    op->staged = false;
}

static bool folder_is_there(struct carrier *carrier, const char *path)
{
    const struct entry *entry = index_at(&carrier->index, path);
    return entry && entry->type == TYPE_FOLDER;
}

static void find_inside(struct carrier *carrier, struct op *op)
{
    char parent[PATH_MOST + 1];
    const char *slash = strrchr(op->path, '/');
    size_t length = slash ? (size_t)(slash - op->path) : 0;
    memcpy(parent, op->path, length);
    parent[length] = 0;
    const struct op *above = slash ? op_at(carrier, parent) : NULL;
    if (above && above->staged && above->wanted.type == TYPE_FOLDER)
        op->inside = above->inside ? above->inside : number_of(carrier, above) + 1;
}

void stage_entry(struct carrier *carrier, struct op *op)
{
    const char *name;
    if (op->kind == CHANGE_DELETE || op->kind == CHANGE_META)
        return;
    find_inside(carrier, op);
    if (op->kind == CHANGE_LINK) {
        stage_other_name(carrier, op);
        return;
    }
    if (op->wanted.type == TYPE_FILE) {
        if (op->bits & CHANGE_BYTES)
            stage_empty(carrier, op);
        return;
    }
    if (op->wanted.type == TYPE_FOLDER && folder_is_there(carrier, op->path))
        return;
    int folder = staged_folder(carrier, op, &name);
    bool link = op->wanted.type == TYPE_LINK;
    op->staged = folder >= 0 && (link ? symlinkat(op->target, folder, name) : mkdirat(folder, name, 0700)) == 0;
    if (!op->staged)
        stage_wrong(carrier);
    else if (link)
        finish_link(op, folder, name);
}

static bool begin_block(struct carrier *carrier, struct op *op, uint64_t offset)
{
    struct writing *writing = &carrier->receiving->writing;
    uint64_t block = offset / BLOCK_BYTES;
    if (offset % BLOCK_BYTES != 0 || block >= op->count || op->have[block])
        return false;
    if (writing->fd < 0 || writing->number != number_of(carrier, op))
        open_file(carrier, op, 0);
    writing->block = (uint32_t)block;
    writing->next = offset;
    sha256_begin(&writing->hash);
    return true;
}

/* Holes at its end. No file has its length before its bytes: a power cut would leave zeros in their place. */
static bool stage_end(const struct op *op, int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0
        && ((uint64_t)status.st_size == op->wanted.size || ftruncate(fd, (off_t)op->wanted.size) == 0);
}

static void have_block(struct carrier *carrier, struct op *op, uint32_t block)
{
    struct writing *writing = &carrier->receiving->writing;
    op->have[block] = true;
    if (--op->missing > 0)
        return;
    if (!stage_end(op, writing->fd)) {
        stage_wrong(carrier);
        return;
    }
    stage_finish(op, writing->fd);
    flush_begin(carrier, op, writing->fd);
    descriptor_shut(&writing->fd);
}

static void end_block(struct carrier *carrier, struct op *op)
{
    struct writing *writing = &carrier->receiving->writing;
    uint8_t id[SHA256_BYTES];
    uint32_t block = writing->block;
    sha256_end_bytes(&writing->hash, id);
    writing->next = UINT64_MAX;
    /* Others than were said: they do not count, and are missing in the end. */
    if (memcmp(id, op->blocks + (size_t)block * SHA256_BYTES, SHA256_BYTES) == 0)
        have_block(carrier, op, block);
}

static bool write_all(int fd, const uint8_t *bytes, size_t length, uint64_t offset)
{
    while (length > 0) {
        ssize_t wrote = pwrite(fd, bytes, length, (off_t)offset);
        if (wrote < 0 && errno != EINTR)
            return false;
        size_t part = wrote > 0 ? (size_t)wrote : 0;
        bytes += part;
        length -= part;
        offset += part;
    }
    return true;
}

bool stage_bytes(struct carrier *carrier, uint32_t number, uint64_t offset, const uint8_t *bytes, size_t length)
{
    struct op *op = &carrier->receiving->ops[number];
    struct writing *writing = &carrier->receiving->writing;
    if (op->count == 0 || !op->staged || op->missing == 0)
        return false;
    bool goes_on = writing->fd >= 0 && writing->number == number && writing->next == offset;
    if (!goes_on && !begin_block(carrier, op, offset))
        return false;
    size_t whole = op->wanted.size ? block_length(op->wanted.size, writing->block) : 0;
    uint64_t end = (uint64_t)writing->block * BLOCK_BYTES + whole;
    if (offset > end || length > end - offset)
        return false;
    if (writing->fd < 0 || !write_all(writing->fd, bytes, length, offset)) {
        stage_wrong(carrier);
        return true;
    }
    sha256_add(&writing->hash, bytes, length);
    writing->next = offset + length;
    if (writing->next == end)
        end_block(carrier, op);
    return true;
}

void stage_block(struct carrier *carrier, struct op *op, uint32_t block, const uint8_t *bytes, size_t length)
{
    struct writing *writing = &carrier->receiving->writing;
    if (writing->fd < 0 || writing->number != number_of(carrier, op))
        open_file(carrier, op, 0);
    if (writing->fd < 0)
        return;
    if (bytes && !write_all(writing->fd, bytes, length, (uint64_t)block * BLOCK_BYTES))
        stage_wrong(carrier);
    else
        have_block(carrier, op, block);
}
