#include "commit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "applied.h"
#include "area.h"
#include "beneath.h"
#include "clocks.h"
#include "content.h"
#include "empty.h"
#include "goes-on.h"
#include "kept.h"
#include "move.h"
#include "stage.h"
#include "state-frames.h"
#include "unfinished.h"
#include "unlock.h"
#include "verify.h"

static bool inside(const char *path, const struct op *folder)
{
    size_t length = strlen(folder->path);
    return strncmp(path, folder->path, length) == 0 && path[length] == '/';
}

/* A folder that goes takes what is in it along, and was compared with all of that: its entries have gone with it. */
static const struct op *delete_one(struct carrier *carrier, struct op *op, const struct op *gone)
{
    if (gone && inside(op->path, gone)) {
        op->done = true;
        return gone;
    }
    move_delete(carrier, op);
    return op->verdict == DO_DELETE && op->out == OUT_GRAVE ? op : gone;
}

static void move_all(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    const struct op *gone = NULL;
    for (uint32_t number = 0; number < receiving->count; number++) {
        struct op *op = &receiving->ops[number];
        goes_on(carrier);
        if (op->verdict == DO_DELETE)
            gone = delete_one(carrier, op, gone);
        else if (op->verdict == DO_REPLACE)
            move_out_of_way(carrier, op);
    }
    for (uint32_t number = receiving->count; number > 0; number--) {
        goes_on(carrier);
        if (receiving->ops[number - 1].verdict == DO_EMPTY)
            move_empty(carrier, &receiving->ops[number - 1]);
    }
    for (uint32_t number = 0; number < receiving->count; number++) {
        struct op *op = &receiving->ops[number];
        goes_on(carrier);
        if (op->verdict == DO_MAKE || op->verdict == DO_REPLACE)
            move_in(carrier, op);
    }
    /* Now that no name is left that will be another file: all names of one have one mtime. */
    for (uint32_t number = 0; number < receiving->count; number++) {
        struct op *op = &receiving->ops[number];
        goes_on(carrier);
        if (op->verdict == DO_META && op->wanted.type != TYPE_FOLDER)
            move_meta(carrier, op);
    }
}

/* What was moved into a folder or out of it has moved its mtime, which is part of the tree. */
static void restore_time(struct carrier *carrier, const char *path)
{
    const struct entry *entry = living(carrier, path);
    if (!entry || entry->type != TYPE_FOLDER)
        return;
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, time_of(entry_mtime(entry))};
    int fd = beneath_open(carrier->root, path, O_RDONLY | O_DIRECTORY);
    if (fd >= 0) {
        futimens(fd, times);
        close(fd);
    }
}

static void restore_parent(struct carrier *carrier, const struct op *op, char last[PATH_MOST + 1])
{
    char parent[PATH_MOST + 1];
    const char *slash = strrchr(op->path, '/');
    size_t length = slash ? (size_t)(slash - op->path) : 0;
    memcpy(parent, op->path, length);
    parent[length] = 0;
    if (strcmp(parent, last) == 0)
        return;
    strcpy(last, parent);
    const struct op *above = op_at(carrier, parent);
    if (!above || above->verdict == IN_CONFLICT)
        restore_time(carrier, parent);
}

/* Last of all and deepest first: each change of a folder's entries moves its mtime. */
static void finish_folders(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    char last[PATH_MOST + 1] = "/";
    for (uint32_t number = receiving->count; number > 0; number--) {
        struct op *op = &receiving->ops[number - 1];
        goes_on(carrier);
        bool stays = op->wanted.type == TYPE_FOLDER && op->kind != CHANGE_DELETE;
        if (op->path[0] && op->verdict != DO_NOTHING)
            restore_parent(carrier, op, last);
        if (stays && (op->verdict == DO_MAKE || op->verdict == DO_META || op->verdict == DO_NOTHING))
            move_meta(carrier, op);
    }
}

static void out_path(const struct carrier *carrier, const struct op *op, char path[PATH_MOST + 16])
{
    unsigned number = (unsigned)(op - carrier->receiving->ops);
    if (op->out == OUT_SWAPPED)
        stage_path(carrier, op, path);
    else
        snprintf(path, 16, "%c%u", op->out == OUT_GRAVE ? 'g' : 'e', number);
}

/* Out of the stage into the folder in kept/, which is made for the first. */
static bool keep(struct carrier *carrier, int *kept, const char *path, uint32_t number)
{
    struct receiving *receiving = carrier->receiving;
    const char *name;
    char text[16];
    if (*kept < 0)
        *kept = kept_at(carrier, receiving->kept);
    int folder = way_to(&receiving->staged, receiving->stage, path, &name);
    snprintf(text, sizeof text, "%u", number);
    return *kept >= 0 && beneath_rename(folder, name, *kept, text, RENAME_NEW) == 0;
}

/* Of two changes the one that does not stand is not lost, or neither if a third one stands. False if one of them could
 * not be kept. */
static bool keep_others(struct carrier *carrier)
{
    bool all = true;
    static char path[PATH_MOST + 16];
    struct receiving *receiving = carrier->receiving;
    int kept = -1;
    /* What is in a folder before the folder. */
    for (uint32_t number = receiving->count; number-- > 0;) {
        struct op *op = &receiving->ops[number];
        goes_on(carrier);
        if (op->verdict == IN_CONFLICT && op->staged && op->missing == 0) {
            stage_path(carrier, op, path);
            op->kept = keep(carrier, &kept, path, number);
            all &= op->kept;
        }
        if (op->aside && op->out != OUT_NOT) {
            out_path(carrier, op, path);
            op->out_kept = keep(carrier, &kept, path, number + receiving->count);
            op->out = op->out_kept ? OUT_NOT : op->out;
            all &= op->out_kept;
        }
    }
    if (kept < 0) {
        receiving->kept = 0;
        return all;
    }
    close(kept);
    if (!all && receiving->keep_only)
        kept_remove(carrier, receiving->kept);
    return all;
}

void commit(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    if (!receiving || !receiving->checked) {
        tell_refused(carrier, "bad-frame: a commit of what was not checked");
        return;
    }
    receiving->kept = (uint64_t)now_ns();
    if (!unfinished_begin(carrier)) {
        stage_wrong(carrier);
        exchange_fail(carrier, receiving->wrong);
        return;
    }
    unlock_folders(carrier);
    move_all(carrier);
    bool all_kept = keep_others(carrier);
    unfinished_moved(carrier);
    late_remember(carrier);
    lock_folders(carrier);
    /* Who hears that it is kept overwrites it where it came from. */
    if (receiving->keep_only && !all_kept) {
        exchange_fail(carrier, "workspace-full: there is no room to keep what came");
        return;
    }
    finish_folders(carrier);
    bool keeps = receiving->kept != 0;
    tell_applied(carrier);
    stream_flush(&carrier->stream);
    exchange_end(carrier);
    area_remove(carrier, "stage");
    late_bound(carrier);
    if (keeps)
        kept_bound(carrier);
}
