#include "move.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "as-known.h"
#include "beneath.h"
#include "content.h"
#include "judge.h"
#include "stage.h"

enum { SWAPS_MOST = 1000 };

struct taken {
    int folder;
    const char *name;
    char grave[16];
};

static int live_folder(struct carrier *carrier, const char *path, const char **name)
{
    return way_to(&carrier->receiving->live, carrier->root, path, name);
}

/* What came out may go: it is what was expected, or it is kept. */
static bool expected(struct carrier *carrier, struct op *op, const struct entry *entry, int folder, const char *name)
{
    struct stat status;
    if (as_known(carrier, entry, folder, name))
        return true;
    op->aside = carrier->receiving->theirs && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
        && (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode));
    return op->aside;
}

/* Out of the tree into a grave of the stage, and back again if it was not what was expected. If somebody made a new one
 * meanwhile, both stay: this one is kept. */
static bool take_out(struct carrier *carrier, const struct entry *entry, struct op *op)
{
    struct receiving *receiving = carrier->receiving;
    struct taken taken;
    taken.folder = live_folder(carrier, op->path, &taken.name);
    snprintf(taken.grave, sizeof taken.grave, "g%u", (unsigned)(op - receiving->ops));
    if (taken.folder < 0)
        return true;
    if (beneath_rename(taken.folder, taken.name, receiving->stage, taken.grave, RENAME_NEW) != 0)
        return errno == ENOENT;
    op->out = OUT_GRAVE;
    if (expected(carrier, op, entry, receiving->stage, taken.grave))
        return true;
    op->aside = beneath_rename(receiving->stage, taken.grave, taken.folder, taken.name, RENAME_NEW) != 0;
    op->out = op->aside ? OUT_GRAVE : OUT_NOT;
    return false;
}

void move_delete(struct carrier *carrier, struct op *op)
{
    const struct entry *entry = living(carrier, op->path);
    op->done = !entry || take_out(carrier, entry, op);
    if (!op->done)
        op->verdict = entry->type == TYPE_FOLDER && op->out == OUT_NOT ? DO_EMPTY : IN_CONFLICT;
}

/* The folder was taken away here, and what changed in it stays: it is made again. */
static int make_parents(struct carrier *carrier, const char *path, const char **name)
{
    char part[PATH_MOST + 1];
    struct way way = {.fd = -1};
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        memcpy(part, path, (size_t)(slash - path));
        part[slash - path] = 0;
        int folder = way_to(&way, carrier->root, part, name);
        if (folder >= 0)
            mkdirat(folder, *name, 0755);
    }
    way_close(&way);
    way_close(&carrier->receiving->live);
    return live_folder(carrier, path, name);
}

static int staged_at(struct carrier *carrier, const struct op *op, const char **name)
{
    static char path[PATH_MOST + 16];
    stage_path(carrier, op, path);
    return way_to(&carrier->receiving->staged, carrier->receiving->stage, path, name);
}

static bool came_with_its_folder(const struct carrier *carrier, const struct op *op)
{
    return op->inside && carrier->receiving->ops[op->inside - 1].done
        && carrier->receiving->ops[op->inside - 1].verdict == DO_MAKE;
}

static void make_new(struct carrier *carrier, struct op *op)
{
    const char *name, *staged;
    int folder = live_folder(carrier, op->path, &name);
    if (folder < 0 && errno == ENOENT)
        folder = make_parents(carrier, op->path, &name);
    int from = op->staged ? staged_at(carrier, op, &staged) : -1;
    int failed = op->staged ? beneath_rename(from, staged, folder, name, RENAME_NEW) : mkdirat(folder, name, 0700);
    op->done = failed == 0;
    if (op->done)
        return;
    struct stat status;
    bool folders = op->wanted.type == TYPE_FOLDER && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISDIR(status.st_mode);
    /* Two new folders of one name become one. */
    op->verdict = folders ? DO_META : IN_CONFLICT;
    op->done = folders;
}

/* What came out was not expected: it goes back, and so does whatever newer came out then. */
static void swap_back(int stage, const char *staged, int folder, const char *name, uint64_t ours)
{
    for (int swaps = 0; swaps < SWAPS_MOST; swaps++) {
        uint64_t puts = beneath_inode(stage, staged);
        if (beneath_rename(stage, staged, folder, name, RENAME_SWAP) != 0) {
            if (errno == ENOENT)
                beneath_rename(stage, staged, folder, name, RENAME_NEW);
            return;
        }
        if (beneath_inode(stage, staged) == ours)
            return;
        ours = puts;
    }
}

static void replace(struct carrier *carrier, struct op *op, const struct entry *entry)
{
    const char *name, *staged;
    int folder = live_folder(carrier, op->path, &name);
    int from = staged_at(carrier, op, &staged);
    uint64_t ours = beneath_inode(from, staged);
    if (folder < 0 || beneath_rename(from, staged, folder, name, RENAME_SWAP) != 0) {
        make_new(carrier, op);
        return;
    }
    op->done = expected(carrier, op, entry, from, staged);
    op->out = op->done ? OUT_SWAPPED : OUT_NOT;
    if (op->done)
        return;
    swap_back(from, staged, folder, name, ours);
    op->verdict = IN_CONFLICT;
}

void move_out_of_way(struct carrier *carrier, struct op *op)
{
    const struct entry *entry = living(carrier, op->path);
    if (!entry || (entry->type != TYPE_FOLDER && op->wanted.type != TYPE_FOLDER))
        return;
    if (op->aside || judge_known(carrier, entry, op))
        op->verdict = take_out(carrier, entry, op) ? DO_MAKE : IN_CONFLICT;
}

void move_in(struct carrier *carrier, struct op *op)
{
    const struct entry *entry = op->verdict == DO_REPLACE ? living(carrier, op->path) : NULL;
    const char *name;
    bool folder = entry && entry->type == TYPE_FOLDER;
    if (came_with_its_folder(carrier, op))
        op->done = true;
    else if (folder && unlinkat(live_folder(carrier, op->path, &name), name, AT_REMOVEDIR) != 0)
        op->verdict = IN_CONFLICT;
    else if (entry && !folder)
        replace(carrier, op, entry);
    else
        make_new(carrier, op);
}

static void meta_of_link(struct op *op, int folder, const char *name)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, time_of(op->wanted.mtime)};
    if (fchownat(folder, name, op->wanted.uid, op->wanted.gid, AT_SYMLINK_NOFOLLOW) != 0)
        op->owner_differs = true;
    op->done = utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A file that its owner may not read is opened once it may. */
static int open_for_meta(int folder, const char *name, int flags)
{
    int fd = beneath_open(folder, name, O_RDONLY | O_NONBLOCK | flags);
    if (fd < 0 && errno == EACCES && beneath_mode(folder, name, 0700, false) == 0)
        fd = beneath_open(folder, name, O_RDONLY | O_NONBLOCK | flags);
    return fd;
}

void move_meta(struct carrier *carrier, struct op *op)
{
    const char *name = "";
    struct stat status;
    bool folder = op->wanted.type == TYPE_FOLDER;
    int parent = op->path[0] ? live_folder(carrier, op->path, &name) : carrier->root;
    if (parent >= 0 && op->wanted.type == TYPE_LINK) {
        meta_of_link(op, parent, name);
        return;
    }
    int fd = parent < 0 ? -1 : open_for_meta(parent, name, folder ? O_DIRECTORY : 0);
    op->done = fd >= 0 && fstat(fd, &status) == 0 && (folder ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode));
    if (op->done)
        stage_finish(op, fd);
    if (fd >= 0)
        close(fd);
}
