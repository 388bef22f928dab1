#include "take.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "content.h"
#include "receive.h"
#include "skip.h"
#include "stage.h"
#include "state-frames.h"
#include "xattrs.h"

static const char *const not_found = "not-found: it is not kept any more, or may not be read";

static bool read_link(int folder, const char *name, struct change *change)
{
    ssize_t length = readlinkat(folder, name, change->target, PATH_MOST + 1);
    if (length <= 0 || length > PATH_MOST)
        return false;
    change->target[length] = 0;
    change->wanted.mode = 0777;
    bytes_id(change->target, (size_t)length, change->wanted.id);
    return true;
}

static bool read_attributes(struct carrier *carrier, int fd, struct change *change)
{
    if (!xattrs_read(fd, &carrier->xattrs))
        return false;
    change->xattrs = carrier->xattrs.bytes;
    change->xattrs_length = carrier->xattrs.length;
    xattrs_id(&carrier->xattrs, change->wanted.xattrs);
    return true;
}

static bool read_file(struct carrier *carrier, int fd, struct stat status, struct change *change, struct content *content)
{
    if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > carrier->limits.file)
        return false;
    if (content_read(fd, &status, carrier->block, &carrier->meanwhile, content) != CONTENT_WHOLE)
        return false;
    memcpy(change->wanted.id, content->id, SHA256_BYTES);
    change->bits = CHANGE_BYTES;
    change->blocks = (const uint8_t *)content->blocks;
    change->block_count = (uint32_t)block_count(change->wanted.size);
    return true;
}

/* A process that still writes into it through an old descriptor leaves a block missing, and the exchange is not checked. */
static void copy(struct carrier *carrier, struct op *op, int fd)
{
    for (uint32_t block = 0; block < op->count && !carrier->receiving->wrong; block++) {
        const uint8_t *said = op->blocks + (size_t)block * SHA256_BYTES;
        size_t length = op->wanted.size ? block_length(op->wanted.size, block) : 0;
        uint8_t id[SHA256_BYTES];
        bool hole = length == BLOCK_BYTES && memcmp(said, zero_block_id(), SHA256_BYTES) == 0;
        if (!hole && read_at(fd, carrier->block, length, (uint64_t)block * BLOCK_BYTES) != (ssize_t)length)
            return;
        bytes_id(carrier->block, length, id);
        if (hole || memcmp(id, said, SHA256_BYTES) == 0)
            stage_block(carrier, op, block, hole ? NULL : carrier->block, length);
    }
}

/* Of what is open: its name may be another file's by now. */
static bool read_kept(struct carrier *carrier, int folder, const char *name, int fd, struct change *change, struct content *content)
{
    struct stat status;
    int found = fd < 0 ? fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) : fstat(fd, &status);
    if (found != 0)
        return false;
    change->wanted = record_of(&status);
    if (change->wanted.type == TYPE_LINK)
        return read_link(folder, name, change);
    if (fd < 0 || !read_attributes(carrier, fd, change))
        return false;
    return change->wanted.type == TYPE_FOLDER || read_file(carrier, fd, status, change, content);
}

static const char *take(struct carrier *carrier, const char *kept, struct change *change)
{
    const char *name;
    struct content content = {0};
    int all = beneath_open(carrier->area, "kept", O_PATH | O_DIRECTORY);
    int folder = all < 0 ? -1 : beneath_parent(all, kept, &name);
    int fd = folder < 0 ? -1 : beneath_open(folder, name, O_RDONLY | O_NONBLOCK);
    const char *why = folder >= 0 && read_kept(carrier, folder, name, fd, change, &content) ? NULL : not_found;
    struct op *op = why ? NULL : receive_change(carrier, change);
    if (op && change->wanted.type == TYPE_FILE)
        copy(carrier, op, fd);
    free(content.blocks);
    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    if (all >= 0)
        close(all);
    return why;
}

void serve_take(struct carrier *carrier, struct reader *reader)
{
    static struct change change;
    char kept[PATH_MOST + 1];
    struct receiving *receiving = carrier->receiving;
    change = (struct change){.kind = CHANGE_PUT, .xattrs = (const uint8_t *)""};
    read_text(reader, kept, PATH_MOST);
    read_text(reader, change.path, PATH_MOST);
    if (!read_all(reader) || !receiving || receiving->checked || carrier->limits.replica || !kept[0] || !change.path[0]) {
        tell_refused(carrier, "bad-frame: take");
        return;
    }
    if (receiving->wrong)
        return;
    if (!path_carried(carrier, change.path)) {
        receiving->wrong = "not-found: its path is not carried now";
        return;
    }
    const char *refused = receive_wrong(carrier, &change);
    const char *why = refused ? refused : take(carrier, kept, &change);
    if (!receiving->wrong)
        receiving->wrong = why;
}
