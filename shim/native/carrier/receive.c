#include "receive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "area.h"
#include "name-hash.h"
#include "skip.h"
#include "stage.h"
#include "state-frames.h"

enum { TABLE_FIRST = 1024 };
enum begin_flag { BEGIN_FORCE = 1, BEGIN_WHOLE = 2, BEGIN_THEIRS = 4, BEGIN_TRUSTED = 8, BEGIN_KEEP = 16 };

static uint32_t slot_of(const struct carrier *carrier, const char *path, uint32_t size)
{
    return (uint32_t)name_hash(carrier->index.key, NULL, path, strlen(path)) & (size - 1);
}

struct op *op_at(const struct carrier *carrier, const char *path)
{
    const struct receiving *receiving = carrier->receiving;
    uint32_t slot = slot_of(carrier, path, receiving->table_size), number;
    for (; (number = receiving->table[slot]) != 0; slot = (slot + 1) & (receiving->table_size - 1))
        if (strcmp(receiving->ops[number - 1].path, path) == 0)
            return &receiving->ops[number - 1];
    return NULL;
}

static void put_in_table(struct carrier *carrier, uint32_t number)
{
    struct receiving *receiving = carrier->receiving;
    uint32_t slot = slot_of(carrier, receiving->ops[number].path, receiving->table_size);
    while (receiving->table[slot] != 0)
        slot = (slot + 1) & (receiving->table_size - 1);
    receiving->table[slot] = number + 1;
}

static bool make_room(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    if (receiving->count < receiving->room)
        return true;
    uint32_t room = receiving->room ? receiving->room * 2 : TABLE_FIRST / 2;
    struct op *ops = realloc(receiving->ops, room * sizeof *ops);
    if (!ops)
        return false;
    receiving->ops = ops;
    uint32_t *table = calloc((size_t)room * 2, sizeof *table);
    if (!table)
        return false;
    free(receiving->table);
    receiving->table = table;
    receiving->table_size = room * 2;
    receiving->room = room;
    for (uint32_t number = 0; number < receiving->count; number++)
        put_in_table(carrier, number);
    return true;
}

static void op_free(struct op *op)
{
    free(op->path);
    free(op->target);
    free(op->xattrs);
    free(op->blocks);
    free(op->have);
}

void receive_end(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    if (!receiving)
        return;
    for (uint32_t number = 0; number < receiving->count; number++)
        op_free(&receiving->ops[number]);
    way_close(&receiving->staged);
    way_close(&receiving->live);
    if (receiving->writing.fd >= 0)
        close(receiving->writing.fd);
    close(receiving->stage);
    free(receiving->ops);
    free(receiving->table);
    free(receiving);
    carrier->receiving = NULL;
}

void receive_begin(struct carrier *carrier, struct reader *reader)
{
    uint8_t flags = read_u8(reader);
    uint64_t epoch = read_u64(reader), seq = read_u64(reader);
    if (!read_all(reader) || flags > 31 || (flags & (BEGIN_THEIRS | BEGIN_KEEP) && carrier->limits.replica)) {
        tell_refused(carrier, "bad-frame: begin");
        return;
    }
    receive_end(carrier);
    struct receiving *receiving = calloc(1, sizeof *receiving);
    carrier->receiving = receiving;
    if (!receiving) {
        tell_refused(carrier, "carrier-failed: no memory");
        return;
    }
    *receiving = (struct receiving){.force = flags & BEGIN_FORCE, .whole = flags & BEGIN_WHOLE, .epoch = epoch, .seq = seq};
    receiving->theirs = flags & BEGIN_THEIRS;
    receiving->keep_only = flags & BEGIN_KEEP;
    receiving->trusted = flags & BEGIN_TRUSTED;
    receiving->writing.fd = receiving->staged.fd = receiving->live.fd = -1;
    receiving->stage = area_stage(carrier);
    if (receiving->stage < 0 || !make_room(carrier))
        receiving->wrong = "carrier-failed: there is no place to stage in";
}

static void *copy_of(const void *bytes, size_t length)
{
    uint8_t *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, bytes, length);
        copy[length] = 0;
    }
    return copy;
}

/* A small file is one block, whose id is the file's. Of another name they are asked for only if its first is not here. */
static bool keep_blocks(struct op *op, const struct change *change)
{
    if ((op->kind != CHANGE_PUT && op->kind != CHANGE_LINK) || op->wanted.type != TYPE_FILE)
        return true;
    op->count = change->block_count ? change->block_count : 1;
    op->missing = op->kind == CHANGE_PUT ? op->count : 0;
    op->blocks = copy_of(change->block_count ? change->blocks : op->wanted.id, (size_t)op->count * SHA256_BYTES);
    op->have = calloc(op->count, sizeof *op->have);
    return op->blocks && op->have;
}

static bool keep(struct op *op, const struct change *change)
{
    *op = (struct op){.kind = change->kind, .bits = change->bits, .was_type = change->was_type, .wanted = change->wanted};
    memcpy(op->was_id, change->was_id, SHA256_BYTES);
    op->path = copy_of(change->path, strlen(change->path));
    op->target = copy_of(change->target, strlen(change->target));
    op->xattrs = copy_of(change->xattrs, change->xattrs_length);
    op->xattrs_length = change->xattrs_length;
    return op->path && op->target && op->xattrs && keep_blocks(op, change);
}

const char *receive_wrong(struct carrier *carrier, const struct change *change)
{
    char parent[PATH_MOST + 1];
    const char *slash = strrchr(change->path, '/');
    if (!path_carried(carrier, change->path))
        return "bad-entry: a path that is not carried";
    if (change->kind == CHANGE_LINK && !path_carried(carrier, change->target))
        return "bad-entry: a link to what is not carried";
    if (op_at(carrier, change->path))
        return "bad-entry: a path twice";
    if (!slash)
        return NULL;
    memcpy(parent, change->path, (size_t)(slash - change->path));
    parent[slash - change->path] = 0;
    const struct op *above = op_at(carrier, parent);
    bool folder = !above || (above->wanted.type == TYPE_FOLDER && above->kind != CHANGE_DELETE);
    return folder || change->kind == CHANGE_DELETE ? NULL : "bad-entry: below what is no folder";
}

static const char *too_large(const struct carrier *carrier, uint64_t size)
{
    const struct receiving *receiving = carrier->receiving;
    bool fits = size <= carrier->limits.file && receiving->bytes + size <= carrier->limits.bytes;
    return fits ? NULL : "workspace-limit: too many bytes";
}

static const char *too_much(const struct carrier *carrier, const struct change *change)
{
    const struct receiving *receiving = carrier->receiving;
    if (receiving->count >= carrier->limits.entries * 2 || receiving->count >= UINT32_MAX / 4)
        return "workspace-limit: too many entries";
    return too_large(carrier, change->kind == CHANGE_PUT ? change->wanted.size : 0);
}

void receive_as_file(struct carrier *carrier, struct op *op)
{
    struct receiving *receiving = carrier->receiving;
    if (!receiving->wrong)
        receiving->wrong = too_large(carrier, op->wanted.size);
    receiving->bytes += op->wanted.size;
    op->kind = CHANGE_PUT;
    op->missing = op->count;
    op->staged = false;
}

struct op *receive_change(struct carrier *carrier, const struct change *change)
{
    struct receiving *receiving = carrier->receiving;
    if (!receiving->wrong)
        receiving->wrong = too_much(carrier, change);
    if (receiving->wrong)
        return NULL;
    receiving->bytes += change->kind == CHANGE_PUT ? change->wanted.size : 0;
    struct op *op = make_room(carrier) ? &receiving->ops[receiving->count] : NULL;
    if (!op || !keep(op, change)) {
        tell_refused(carrier, "carrier-failed: no memory");
        return NULL;
    }
    put_in_table(carrier, receiving->count++);
    stage_entry(carrier, op);
    return op;
}

void receive_entry(struct carrier *carrier, const struct frame *frame)
{
    static struct change change;
    struct receiving *receiving = carrier->receiving;
    const char *why = "bad-frame: an entry";
    if (receiving && receiving->table && !receiving->checked && change_read(&change, frame->payload, frame->length))
        why = receive_wrong(carrier, &change);
    if (why)
        tell_refused(carrier, why);
    else
        receive_change(carrier, &change);
}

static bool add_delete(struct carrier *carrier, const char *path)
{
    struct receiving *receiving = carrier->receiving;
    static struct change change;
    change = (struct change){.kind = CHANGE_DELETE, .wanted = {.type = TYPE_FILE}, .xattrs = (const uint8_t *)""};
    strcpy(change.path, path);
    if (!make_room(carrier) || !keep(&receiving->ops[receiving->count], &change))
        return false;
    put_in_table(carrier, receiving->count++);
    return true;
}

static bool delete_unnamed(struct carrier *carrier, const struct entry *folder)
{
    char path[PATH_MOST + 1];
    for (const struct entry *child = folder->child; child; child = child->next) {
        if (!entry_alive(child) || !entry_path(child, path))
            continue;
        const struct op *op = op_at(carrier, path);
        bool stays = op && child->now.type == TYPE_FOLDER && op->wanted.type == TYPE_FOLDER;
        if (op ? stays && !delete_unnamed(carrier, child) : !add_delete(carrier, path))
            return false;
    }
    return true;
}

bool receive_unnamed(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    return !receiving->whole || receiving->asked || delete_unnamed(carrier, carrier->index.root);
}

void receive_chunk(struct carrier *carrier, struct reader *reader)
{
    struct receiving *receiving = carrier->receiving;
    uint32_t number = read_u32(reader);
    uint64_t offset = read_u64(reader);
    size_t length = (size_t)(reader->end - reader->at);
    const uint8_t *bytes = read_bytes(reader, length);
    /* What comes after something went wrong has no entry to belong to. */
    if (receiving && receiving->wrong && !reader->bad)
        return;
    if (reader->bad || !receiving || number >= receiving->count || receiving->checked
        || !stage_bytes(carrier, number, offset, bytes, length))
        tell_refused(carrier, "bad-frame: a chunk");
}
