#include "unfinished.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "exchange.h"
#include "goes-on.h"
#include "saved-writer.h"

/* It counts under its other name, once all of it is written. */
static const char writing[] = "list";

static void add_number(struct writer *writer, uint64_t number)
{
    uint8_t bytes[8];
    put_u64(bytes, number);
    writer_add(writer, bytes, sizeof bytes);
}

static bool takes_out(const struct op *op)
{
    return op->verdict == DO_DELETE || op->verdict == DO_REPLACE || op->verdict == DO_EMPTY;
}

static void add_name(struct writer *writer, uint64_t number, const char *path, bool replaces)
{
    uint8_t more = replaces;
    add_number(writer, number);
    writer_path(writer, path);
    writer_add(writer, &more, sizeof more);
}

/* What is deleted is much sometimes, because there is no room: of it is no more than its path. */
static void add_op(struct carrier *carrier, struct writer *writer, const struct op *op)
{
    static const uint8_t none[SHA256_BYTES];
    static char staged[PATH_MOST + 16];
    struct receiving *receiving = carrier->receiving;
    bool replaces = op->verdict == DO_REPLACE;
    add_name(writer, (uint64_t)(op - receiving->ops), op->path, replaces);
    if (!replaces)
        return;
    const struct entry *entry = living(carrier, op->path);
    const char *name = NULL;
    bool known = entry && entry->type == TYPE_FILE && !op->aside;
    stage_path(carrier, op, staged);
    int folder = op->staged ? way_to(&receiving->staged, receiving->stage, staged, &name) : -1;
    add_number(writer, folder < 0 ? 0 : beneath_inode(folder, name));
    writer_add(writer, known ? entry_id(entry) : none, SHA256_BYTES);
    writer_path(writer, staged);
}

static int list_made(int folder, const char *name)
{
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static struct writer *list_begin(int fd, uint64_t folder, uint64_t ops)
{
    static struct writer writer;
    writer_begin(&writer, fd, 0);
    add_number(&writer, folder);
    add_number(&writer, ops);
    return &writer;
}

static bool list_end(struct writer *writer, int fd)
{
    uint8_t checksum[SHA256_BYTES];
    bool written = writer_end(writer, checksum);
    if (fd >= 0)
        close(fd);
    return written;
}

static bool write_ops(struct carrier *carrier, int fd)
{
    struct receiving *receiving = carrier->receiving;
    struct writer *writer = list_begin(fd, receiving->kept, receiving->count);
    for (uint32_t number = 0; number < receiving->count && !writer->failed; number++) {
        goes_on(carrier);
        if (takes_out(&receiving->ops[number]))
            add_op(carrier, writer, &receiving->ops[number]);
    }
    return list_end(writer, fd);
}

bool unfinished_begin(struct carrier *carrier)
{
    const struct receiving *receiving = carrier->receiving;
    uint32_t number = 0;
    while (number < receiving->count && !takes_out(&receiving->ops[number]))
        number++;
    if (number == receiving->count)
        return true;
    return write_ops(carrier, list_made(receiving->stage, writing))
        && beneath_rename(receiving->stage, writing, receiving->stage, UNFINISHED_MOVING, RENAME_NEW) == 0;
}

void unfinished_moved(struct carrier *carrier)
{
    const struct receiving *receiving = carrier->receiving;
    if (receiving->kept == 0)
        unlinkat(receiving->stage, UNFINISHED_MOVING, 0);
    else if (beneath_rename(receiving->stage, UNFINISHED_MOVING, carrier->area, UNFINISHED_UNTOLD, 0) == 0)
        carrier->untold = true;
}

bool unfinished_untold(struct carrier *carrier, uint64_t folder, const char *path)
{
    unlinkat(carrier->area, UNFINISHED_UNTOLD, 0);
    int fd = list_made(carrier->area, UNFINISHED_UNTOLD);
    struct writer *writer = list_begin(fd, folder, 0);
    add_name(writer, 0, path, false);
    return list_end(writer, fd);
}

void unfinished_told(struct carrier *carrier)
{
    if (carrier->untold)
        unlinkat(carrier->area, UNFINISHED_UNTOLD, 0);
    carrier->untold = false;
}
