#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "area.h"
#include "beneath.h"
#include "content.h"
#include "goes-on.h"
#include "kept.h"
#include "reader.h"
#include "unfinished.h"

/* What is listed of an op. */
struct out {
    uint64_t number, staged_inode;
    bool is_replaced;
    uint8_t id[SHA256_BYTES];
    char path[PATH_MOST + 1], staged[PATH_MOST + 16];
};

struct mend {
    struct carrier *carrier;
    int stage, kept;
    /* The one in kept/, and how many ops there were. */
    uint64_t folder, count;
    uint8_t *bytes;
    struct reader list;
};

static const char no_room[] = "carrier-failed: there is no room to keep what a cut exchange had taken out, or it "
                              "cannot be read";

typedef bool each_out(struct mend *mend, const struct out *out);

/* What is in kept/ since, by the number that `applied` would have told. */
static const char *kept_name(const struct mend *mend, const struct out *out, char name[24])
{
    snprintf(name, 24, "%u", (uint32_t)(out->number + mend->count));
    return name;
}

static void tell(struct carrier *carrier, uint64_t folder, uint32_t number, const char *path)
{
    struct late_found *found = calloc(1, sizeof *found);
    if (!found)
        return;
    *found = (struct late_found){carrier->late.found, folder, number, strdup(path)};
    carrier->late.found = found;
    carrier->late.found_count++;
}

static bool keep(struct mend *mend, const struct out *out, int folder, const char *name)
{
    char number[24];
    if (mend->kept < 0)
        mend->kept = kept_at(mend->carrier, mend->folder);
    return mend->kept >= 0 && beneath_rename(folder, name, mend->kept, kept_name(mend, out, number), RENAME_NEW) == 0;
}

static bool put_back(struct mend *mend, const struct out *out, const char *grave)
{
    const char *name;
    int folder = beneath_parent(mend->carrier->root, out->path, &name);
    bool back = folder >= 0 && beneath_rename(mend->stage, grave, folder, name, RENAME_NEW) == 0;
    if (folder >= 0)
        close(folder);
    return back;
}

static bool may_go(struct carrier *carrier, const struct out *out, int folder, const char *name)
{
    struct stat status;
    struct content content = {.blocks = NULL};
    int fd = beneath_open(folder, name, O_RDONLY | O_NONBLOCK);
    bool same = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
        && content_read(fd, &status, carrier->block, &carrier->meanwhile, &content) == CONTENT_WHOLE
        && memcmp(content.id, out->id, SHA256_BYTES) == 0;
    free(content.blocks);
    if (fd >= 0)
        close(fd);
    return same;
}

/* 0 if there is none of that name. False if nobody can say: a disk that fails is no reason to remove anything. */
static bool inode_at(int folder, const char *name, uint64_t *inode)
{
    errno = 0;
    *inode = beneath_inode(folder, name);
    return *inode != 0 || errno == ENOENT;
}

/* At the place where its new version was staged. */
static bool mend_swapped(struct mend *mend, const struct out *out)
{
    const char *name;
    uint64_t inode;
    if (!out->is_replaced)
        return true;
    int folder = beneath_parent(mend->stage, out->staged, &name);
    if (folder < 0)
        return errno == ENOENT || errno == ENOTDIR;
    bool done = inode_at(folder, name, &inode)
        && (inode == 0 || inode == out->staged_inode || may_go(mend->carrier, out, folder, name)
            || keep(mend, out, folder, name));
    close(folder);
    return done;
}

static bool mend_one(struct mend *mend, const struct out *out)
{
    char grave[24], emptied[24];
    uint64_t buried, left;
    snprintf(grave, sizeof grave, "g%u", (uint32_t)out->number);
    snprintf(emptied, sizeof emptied, "e%u", (uint32_t)out->number);
    if (!inode_at(mend->stage, grave, &buried) || !inode_at(mend->stage, emptied, &left))
        return false;
    if (buried && !put_back(mend, out, grave) && !keep(mend, out, mend->stage, grave))
        return false;
    if (left && !keep(mend, out, mend->stage, emptied))
        return false;
    return mend_swapped(mend, out);
}

/* Also what was kept before the end, or by a start that was killed, too. */
static bool name_one(struct mend *mend, const struct out *out)
{
    char name[24];
    uint64_t inode;
    if (!inode_at(mend->kept, kept_name(mend, out, name), &inode) || inode)
        tell(mend->carrier, mend->folder, (uint32_t)(out->number + mend->count), out->path);
    return true;
}

static bool each(struct mend *mend, each_out *one)
{
    static struct out out;
    struct reader reader = mend->list;
    bool all = true;
    while (reader.at < reader.end) {
        out.number = read_u64(&reader);
        read_text(&reader, out.path, sizeof out.path - 1);
        out.is_replaced = read_u8(&reader);
        if (out.is_replaced) {
            out.staged_inode = read_u64(&reader);
            read_id(&reader, out.id);
            read_text(&reader, out.staged, sizeof out.staged - 1);
        }
        if (reader.bad)
            return false;
        goes_on(mend->carrier);
        all &= one(mend, &out);
    }
    return all;
}

static uint8_t *read_whole(int fd, size_t *length)
{
    struct stat status;
    uint8_t checksum[SHA256_BYTES];
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < UNFINISHED_HEAD + SHA256_BYTES)
        return NULL;
    uint8_t *bytes = malloc((size_t)status.st_size);
    *length = (size_t)status.st_size - SHA256_BYTES;
    if (bytes && read_at(fd, bytes, (size_t)status.st_size, 0) == status.st_size) {
        bytes_id(bytes, *length, checksum);
        if (memcmp(bytes + *length, checksum, SHA256_BYTES) == 0)
            return bytes;
    }
    free(bytes);
    return NULL;
}

/* Takes up a list. False if there is none, or it is torn. */
static bool mend_begin(struct mend *mend, int fd)
{
    size_t length = 0;
    mend->bytes = fd < 0 ? NULL : read_whole(fd, &length);
    if (fd >= 0)
        close(fd);
    if (!mend->bytes)
        return false;
    mend->list = reader_of(mend->bytes, length);
    mend->folder = read_u64(&mend->list);
    mend->count = read_u64(&mend->list);
    return true;
}

static void mend_end(struct mend *mend)
{
    if (mend->kept >= 0)
        close(mend->kept);
    free(mend->bytes);
}

/* It stays in kept/ from now on for as long as if it came now: it may be older than what stays. */
static void name_all(struct mend *mend)
{
    char kept[40];
    snprintf(kept, sizeof kept, "kept/%llu", (unsigned long long)mend->folder);
    if (mend->kept < 0)
        mend->kept = beneath_open(mend->carrier->area, kept, O_RDONLY | O_DIRECTORY);
    if (mend->kept < 0)
        return;
    each(mend, name_one);
    futimens(mend->kept, NULL);
}

/* False if something of it is in the stage only. What is kept by then is told now: its list stays in the stage. */
static bool mend_by(struct mend *mend)
{
    bool all = each(mend, mend_one)
        && beneath_rename(mend->stage, UNFINISHED_MOVING, mend->carrier->area, UNFINISHED_UNTOLD, 0) == 0;
    if (!all)
        name_all(mend);
    return all;
}

/* False if something may be in the stage only. */
static bool mend_stage(struct carrier *carrier)
{
    struct mend mend = {.carrier = carrier, .kept = -1};
    mend.stage = beneath_open(carrier->area, "stage", O_RDONLY | O_DIRECTORY);
    if (mend.stage < 0)
        return errno == ENOENT;
    int list = beneath_open(mend.stage, UNFINISHED_MOVING, O_RDONLY | O_NONBLOCK);
    bool is_over = list < 0 && errno == ENOENT;
    bool mended = is_over || (mend_begin(&mend, list) && mend_by(&mend));
    mend_end(&mend);
    close(mend.stage);
    if (is_over)
        area_remove(carrier, "stage");
    return mended;
}

/* A power cut can tear the list, and a disk can fail. Nobody knows then what is nowhere else. */
static bool keep_stage(struct carrier *carrier)
{
    uint64_t folder;
    int kept = kept_open(carrier, &folder);
    bool done = kept >= 0 && unfinished_untold(carrier, folder, ".clawrden/stage")
        && beneath_rename(carrier->area, "stage", kept, "0", RENAME_NEW) == 0;
    if (kept < 0)
        return false;
    close(kept);
    if (!done)
        kept_remove(carrier, folder);
    return done;
}

/* Of the commit, or of a start, whose answer may have had no reader. */
static void tell_untold(struct carrier *carrier)
{
    struct mend mend = {.carrier = carrier, .stage = -1, .kept = -1};
    int list = beneath_open(carrier->area, UNFINISHED_UNTOLD, O_RDONLY | O_NONBLOCK);
    carrier->untold = list >= 0;
    if (mend_begin(&mend, list))
        name_all(&mend);
    mend_end(&mend);
}

const char *unfinished_mend(struct carrier *carrier)
{
    if (!mend_stage(carrier) && !keep_stage(carrier))
        return no_room;
    tell_untold(carrier);
    return NULL;
}
