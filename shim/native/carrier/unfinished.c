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

static void add_op(struct carrier *carrier, struct writer *writer, const struct op *op)
{
    static const uint8_t none[SHA256_BYTES];
    static char staged[PATH_MOST + 16];
    struct receiving *receiving = carrier->receiving;
    const struct entry *entry = living(carrier, op->path);
    const char *name = NULL;
    bool known = entry && entry->type == TYPE_FILE && !op->aside;
    stage_path(carrier, op, staged);
    int folder = op->staged ? way_to(&receiving->staged, receiving->stage, staged, &name) : -1;
    add_number(writer, (uint64_t)(op - receiving->ops));
    add_number(writer, folder < 0 ? 0 : beneath_inode(folder, name));
    writer_add(writer, known ? entry_id(entry) : none, SHA256_BYTES);
    writer_path(writer, op->path);
    writer_path(writer, staged);
}

static bool write_list(struct carrier *carrier, int fd)
{
    static struct writer writer;
    struct receiving *receiving = carrier->receiving;
    uint8_t checksum[SHA256_BYTES];
    writer_begin(&writer, fd, 0);
    add_number(&writer, receiving->kept);
    add_number(&writer, receiving->count);
    for (uint32_t number = 0; number < receiving->count && !writer.failed; number++) {
        goes_on(carrier);
        if (takes_out(&receiving->ops[number]))
            add_op(carrier, &writer, &receiving->ops[number]);
    }
    return writer_end(&writer, checksum);
}

bool unfinished_begin(struct carrier *carrier)
{
    const struct receiving *receiving = carrier->receiving;
    uint32_t number = 0;
    while (number < receiving->count && !takes_out(&receiving->ops[number]))
        number++;
    if (number == receiving->count)
        return true;
    int fd = openat(receiving->stage, writing, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool written = write_list(carrier, fd);
    if (fd >= 0)
        close(fd);
    return written && beneath_rename(receiving->stage, writing, receiving->stage, UNFINISHED_MOVING, RENAME_NEW) == 0;
}

void unfinished_moved(struct carrier *carrier)
{
    beneath_rename(carrier->receiving->stage, UNFINISHED_MOVING, carrier->receiving->stage, UNFINISHED_MOVED, RENAME_NEW);
}

void unfinished_told(struct carrier *carrier)
{
    unlinkat(carrier->area, "stage/" UNFINISHED_MOVED, 0);
}
