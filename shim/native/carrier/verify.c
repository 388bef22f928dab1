#include "verify.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "area.h"
#include "beneath.h"
#include "content.h"
#include "flush.h"
#include "goes-on.h"
#include "guard.h"
#include "judge.h"
#include "receive.h"
#include "settle.h"
#include "stage.h"
#include "state-frames.h"
#include "tree-id.h"

/* Each looks through the whole index. */
enum { SEARCHED_MOST = 100 };

static size_t length_of(const struct op *op, uint32_t block)
{
    return op->wanted.size ? block_length(op->wanted.size, block) : 0;
}

/* The tree has this block at the same place of the same file. */
static bool is_here(const struct entry *entry, const struct op *op, uint32_t block)
{
    const uint8_t *id = op->blocks + (size_t)block * SHA256_BYTES;
    if (!entry || entry->type != TYPE_FILE || entry->flags & ENTRY_UNREADABLE)
        return false;
    if (!entry_blocks(entry))
        return block == 0 && entry_size(entry) == length_of(op, 0) && memcmp(entry_id(entry), id, SHA256_BYTES) == 0;
    return block < block_count(entry_size(entry)) && block_length(entry_size(entry), block) == length_of(op, block)
        && memcmp(entry_blocks(entry)[block], id, SHA256_BYTES) == 0;
}

static bool read_here(struct carrier *carrier, const struct op *op, int fd, uint32_t block)
{
    uint8_t id[SHA256_BYTES];
    size_t length = length_of(op, block);
    if (fd < 0 || read_at(fd, carrier->block, length, (uint64_t)block * BLOCK_BYTES) != (ssize_t)length)
        return false;
    bytes_id(carrier->block, length, id);
    return memcmp(id, op->blocks + (size_t)block * SHA256_BYTES, SHA256_BYTES) == 0;
}

static bool is_nothing(const struct op *op, uint32_t block)
{
    size_t length = length_of(op, block);
    uint8_t empty[SHA256_BYTES];
    if (length == BLOCK_BYTES)
        return memcmp(op->blocks + (size_t)block * SHA256_BYTES, zero_block_id(), SHA256_BYTES) == 0;
    bytes_id("", 0, empty);
    return length == 0 && memcmp(op->blocks, empty, SHA256_BYTES) == 0;
}

static void take_blocks(struct carrier *carrier, struct op *op, const struct entry *entry)
{
    char path[PATH_MOST + 1];
    int fd = entry && entry_path(entry, path) ? beneath_open(carrier->root, path, O_RDONLY | O_NONBLOCK) : -1;
    for (uint32_t block = 0; fd >= 0 && block < op->count && !carrier->receiving->wrong; block++) {
        goes_on(carrier);
        if (!op->have[block] && is_here(entry, op, block) && read_here(carrier, op, fd, block))
            stage_block(carrier, op, block, carrier->block, length_of(op, block));
    }
    if (fd >= 0)
        close(fd);
}

/* A large file of the same bytes: one that was moved is here under its old name until the commit. */
static const struct entry *same_file(const struct entry *folder, const struct record *wanted)
{
    const struct entry *found = NULL;
    for (const struct entry *child = entry_child(folder); child && !found; child = entry_next(child)) {
        bool same = entry_blocks(child) && child->type == TYPE_FILE && entry_size(child) == wanted->size;
        if (same && memcmp(entry_id(child), wanted->id, SHA256_BYTES) == 0)
            found = child;
        else
            found = same_file(child, wanted);
    }
    return found;
}

/* Holes stay holes, and what the tree has is taken from there. */
static void assemble(struct carrier *carrier, struct op *op)
{
    if (!op->staged && !stage_empty(carrier, op))
        return;
    for (uint32_t block = 0; block < op->count && !carrier->receiving->wrong; block++)
        if (!op->have[block] && is_nothing(op, block))
            stage_block(carrier, op, block, NULL, 0);
    take_blocks(carrier, op, living(carrier, op->path));
    if (op->missing > 0 && op->wanted.size > BLOCK_BYTES && carrier->receiving->searched++ < SEARCHED_MOST)
        take_blocks(carrier, op, same_file(carrier->index.root, &op->wanted));
}

static void want(struct carrier *carrier, const struct op *op, uint32_t number)
{
    struct stream *stream = &carrier->stream;
    stream_begin(stream, FRAME_WANT);
    stream_put_u32(stream, number);
    stream_put_text(stream, op->path);
    stream_put_u32(stream, op->missing);
    for (uint32_t block = 0; block < op->count; block++)
        if (!op->have[block])
            stream_put_u32(stream, block);
    stream_end(stream);
}

static bool needs_bytes(const struct op *op)
{
    return op->missing > 0 && (op->verdict == DO_MAKE || op->verdict == DO_REPLACE || op->verdict == IN_CONFLICT);
}

static uint32_t want_all(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    uint32_t wanted = 0;
    for (uint32_t number = 0; number < receiving->count && !receiving->wrong; number++) {
        struct op *op = &receiving->ops[number];
        if (!needs_bytes(op))
            continue;
        assemble(carrier, op);
        if (op->missing > 0 && !receiving->wrong) {
            want(carrier, op, number);
            wanted++;
        }
    }
    return wanted;
}

/* A first name that is in this exchange, with bytes. */
static bool comes(const struct op *first)
{
    return first && first->kind == CHANGE_PUT && first->wanted.type == TYPE_FILE
        && (first->verdict == DO_MAKE || first->verdict == DO_REPLACE || first->verdict == IN_CONFLICT);
}

/* Under its first name may be another file here, or none: what this name had is not lost by that. */
static void name_living(struct carrier *carrier, struct op *op)
{
    const struct entry *first = living(carrier, op->target);
    bool same = first && first->type == TYPE_FILE && entry_size(first) == op->wanted.size
        && memcmp(entry_id(first), op->wanted.id, SHA256_BYTES) == 0;
    /* What is kept must not be a name of a file of the tree. */
    if (same && op->verdict != IN_CONFLICT)
        stage_name_of_living(carrier, op);
    if (!op->staged)
        receive_as_file(carrier, op);
}

static void name_all_living(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    for (uint32_t number = 0; number < receiving->count; number++) {
        struct op *op = &receiving->ops[number];
        bool wanted = op->verdict == DO_MAKE || op->verdict == DO_REPLACE || op->verdict == IN_CONFLICT;
        goes_on(carrier);
        if (op->kind == CHANGE_LINK && wanted && !op->staged && !comes(op_at(carrier, op->target)))
            name_living(carrier, op);
    }
}

/* Other names of files whose bytes were still to come. */
static void name_again(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    for (uint32_t number = 0; number < receiving->count; number++) {
        struct op *op = &receiving->ops[number];
        goes_on(carrier);
        if (op->kind == CHANGE_LINK && !op->staged && (op->verdict == DO_MAKE || op->verdict == DO_REPLACE))
            stage_other_name(carrier, op);
    }
}

/* What is staged has all of its bytes; another name has those of the file that is staged under its first name. */
static bool is_whole(const struct carrier *carrier, const struct op *op)
{
    const struct op *first = op->kind == CHANGE_LINK ? op_at(carrier, op->target) : NULL;
    bool torn = first && first->missing > 0 && first->verdict != DO_META && first->verdict != DO_NOTHING;
    return op->kind == CHANGE_META || (op->staged && op->missing == 0 && !torn);
}

/* What did not come, or not as it was said, is left as it is, and does not go along with the new folder that it is staged in. */
static void leave_incomplete(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    for (uint32_t number = 0; number < receiving->count; number++) {
        struct op *op = &receiving->ops[number];
        bool makes = op->verdict == DO_MAKE || op->verdict == DO_REPLACE;
        bool keeps = receiving->keep_only && op->verdict == IN_CONFLICT && op->kind == CHANGE_PUT && op->wanted.type == TYPE_FILE;
        goes_on(carrier);
        if ((!makes && !keeps) || is_whole(carrier, op))
            continue;
        op->verdict = IS_UNSTABLE;
        if (op->staged)
            stage_drop(carrier, op);
    }
}

static void tell_checked(struct carrier *carrier, uint32_t wanted)
{
    struct stream *stream = &carrier->stream;
    const struct receiving *receiving = carrier->receiving;
    uint32_t counts[IS_UNSTABLE + 1] = {0};
    for (uint32_t number = 0; number < receiving->count; number++)
        counts[receiving->ops[number].aside ? IN_CONFLICT : receiving->ops[number].verdict]++;
    stream_begin(stream, FRAME_CHECKED);
    stream_put_u32(stream, wanted);
    stream_put_u32(stream, receiving->count - counts[DO_NOTHING]);
    stream_put_u32(stream, counts[DO_DELETE] + counts[DO_EMPTY]);
    stream_put_u32(stream, counts[IN_CONFLICT]);
    stream_put_u32(stream, counts[IS_UNSTABLE]);
    stream_put_u64(stream, carrier->index.entries);
    stream_end(stream);
}

/* What is overwritten is all of what the other side has seen. */
static bool is_expected(const struct carrier *carrier)
{
    uint8_t tree[SHA256_BYTES];
    tree_id(&carrier->index, tree);
    return memcmp(tree, carrier->receiving->tree, sizeof tree) == 0;
}

void exchange_fail(struct carrier *carrier, const char *why)
{
    exchange_end(carrier);
    area_remove(carrier, "stage");
    tell_failed(carrier, why);
}

void verify(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    settle(carrier, false);
    const char *why = receiving->wrong ? receiving->wrong : state_wrong(carrier);
    if (!why && receiving->force && !is_expected(carrier))
        why = "unstable: something was written there meanwhile";
    if (!why && !receive_unnamed(carrier))
        why = "carrier-failed: no memory";
    uint32_t wanted = 0;
    if (!why) {
        judge_all(carrier);
        if (guard_refuses(carrier))
            receiving->wrong = "workspace-suspect: most of what is here is not at home; if that is meant, trust it";
        if (!receiving->asked && !receiving->wrong)
            name_all_living(carrier);
        wanted = receiving->asked || receiving->wrong ? 0 : want_all(carrier);
        why = receiving->wrong;
    }
    if (why) {
        exchange_fail(carrier, why);
        return;
    }
    receiving->asked = true;
    receiving->checked = wanted == 0;
    if (receiving->checked) {
        name_again(carrier);
        leave_incomplete(carrier);
        if (!flush_replacements(carrier))
            stage_wrong(carrier);
        if (receiving->wrong) {
            exchange_fail(carrier, receiving->wrong);
            return;
        }
    }
    tell_checked(carrier, wanted);
}
