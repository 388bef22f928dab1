#include "receive.h"

#include <string.h>

#include "judge.h"
#include "skip.h"
#include "stage.h"
#include "state-frames.h"

/* Of all entries together, beside their bytes. */
enum { SAID_ANY = 16 * 1024 * 1024, SAID_OF_EACH = 256 };

enum begin_flag { BEGIN_FORCE = 1, BEGIN_WHOLE = 2, BEGIN_THEIRS = 4, BEGIN_TRUSTED = 8, BEGIN_KEEP = 16 };

void receive_begin(struct carrier *carrier, struct reader *reader)
{
    uint8_t flags = read_u8(reader);
    uint64_t epoch = read_u64(reader), seq = read_u64(reader);
    uint8_t tree[SHA256_BYTES] = {0};
    if (flags & BEGIN_FORCE)
        read_id(reader, tree);
    if (!read_all(reader) || flags > 31 || (flags & (BEGIN_THEIRS | BEGIN_KEEP) && carrier->limits.replica)) {
        tell_refused(carrier, "bad-frame: begin");
        return;
    }
    if (!exchange_begin(carrier)) {
        tell_refused(carrier, "carrier-failed: no memory");
        return;
    }
    struct receiving *receiving = carrier->receiving;
    receiving->epoch = epoch;
    receiving->seq = seq;
    memcpy(receiving->tree, tree, sizeof tree);
    receiving->force = flags & BEGIN_FORCE;
    receiving->whole = flags & BEGIN_WHOLE;
    receiving->theirs = flags & BEGIN_THEIRS;
    receiving->keep_only = flags & BEGIN_KEEP;
    receiving->trusted = flags & BEGIN_TRUSTED;
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

/* Paths, attributes and ids of blocks, which stay in memory until the end. */
static uint64_t said_of(const struct change *change)
{
    uint64_t blocks = (uint64_t)change->block_count * (SHA256_BYTES + sizeof(bool));
    return strlen(change->path) + strlen(change->target) + change->xattrs_length + blocks;
}

static const char *too_much(const struct carrier *carrier, const struct change *change)
{
    const struct receiving *receiving = carrier->receiving;
    if (receiving->said + said_of(change) > SAID_ANY + carrier->limits.entries * SAID_OF_EACH)
        return "workspace-limit: too much is said of its entries";
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
    receiving->said += said_of(change);
    struct op *op = exchange_add(carrier, change);
    if (op)
        stage_entry(carrier, op);
    else
        receiving->wrong = "carrier-failed: no memory";
    return op;
}

/* An exchange that still takes something. What comes after it went wrong has no entry to belong to. */
static bool takes(struct carrier *carrier)
{
    const struct receiving *receiving = carrier->receiving;
    if (!receiving || receiving->checked)
        tell_refused(carrier, "bad-frame: an entry or a chunk of no exchange");
    return receiving && !receiving->checked && !receiving->wrong;
}

void receive_entry(struct carrier *carrier, const struct frame *frame)
{
    static struct change change;
    if (!takes(carrier))
        return;
    const char *why = "bad-entry: it is not well formed";
    if (change_read(&change, frame->payload, frame->length))
        why = receive_wrong(carrier, &change);
    if (why)
        carrier->receiving->wrong = why;
    else
        receive_change(carrier, &change);
}

static bool add_delete(struct carrier *carrier, const char *path)
{
    static struct change change;
    change = (struct change){.kind = CHANGE_DELETE, .wanted = {.type = TYPE_FILE}, .xattrs = (const uint8_t *)""};
    strcpy(change.path, path);
    return exchange_add(carrier, &change);
}

/* Also what both sides deleted: else it would differ from what home is believed to have, whatever home sends. */
static bool delete_unnamed(struct carrier *carrier, const struct entry *folder)
{
    char path[PATH_MOST + 1];
    for (const struct entry *child = entry_child(folder); child; child = entry_next(child)) {
        if ((!entry_alive(child) && !dirty_below(child)) || !entry_path(child, path))
            continue;
        const struct op *op = op_at(carrier, path);
        bool stays = op && op->wanted.type == TYPE_FOLDER;
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
    if (!takes(carrier))
        return;
    if (reader->bad || number >= receiving->count || !stage_bytes(carrier, number, offset, bytes, length))
        receiving->wrong = "bad-entry: a chunk that belongs to no entry";
}
