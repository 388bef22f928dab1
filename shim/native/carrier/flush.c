#include "flush.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "area.h"
#include "beneath.h"
#include "goes-on.h"
#include "stage.h"

/* Above, waiting for the disk costs more than tools are used to; the writing has begun at least. */
enum { FLUSHED_MOST = 64 };

void flush_begin(const struct carrier *carrier, const struct op *op, int fd)
{
    if (living(carrier, op->path))
        sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

static bool replaces(const struct op *op)
{
    return op->verdict == DO_REPLACE && op->kind == CHANGE_PUT && op->wanted.type == TYPE_FILE && op->staged;
}

static int open_staged(struct carrier *carrier, const struct op *op)
{
    static char path[PATH_MOST + 16];
    const char *name;
    stage_path(carrier, op, path);
    int folder = way_to(&carrier->receiving->staged, carrier->receiving->stage, path, &name);
    int fd = folder < 0 ? -1 : beneath_open(folder, name, O_RDONLY | O_NONBLOCK);
    if (fd >= 0 || errno != EACCES)
        return fd;
    /* Its owner may not read it: for a moment. */
    beneath_mode(folder, name, 0600, area_shut(carrier));
    fd = beneath_open(folder, name, O_RDONLY | O_NONBLOCK);
    if (fd >= 0)
        fchmod(fd, op->wanted.mode);
    return fd;
}

static bool flush(struct carrier *carrier, const struct op *op)
{
    int fd = open_staged(carrier, op);
    /* What cannot be opened is not waited for. */
    bool done = fd < 0 || fdatasync(fd) == 0;
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return done;
}

bool flush_replacements(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    uint32_t count = 0;
    for (uint32_t number = 0; number < receiving->count; number++)
        count += replaces(&receiving->ops[number]);
    for (uint32_t number = 0; number < receiving->count && count <= FLUSHED_MOST; number++) {
        goes_on(carrier);
        if (replaces(&receiving->ops[number]) && !flush(carrier, &receiving->ops[number]))
            return false;
    }
    return true;
}
