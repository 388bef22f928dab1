#include "applied.h"

#include <string.h>

#include "dirty.h"
#include "epochs.h"
#include "exchange.h"
#include "saved.h"
#include "settle.h"
#include "state-frames.h"

enum { TOLD_BYTES = 512 * 1024 };
enum why { WHY_CONFLICT, WHY_UNSTABLE, WHY_REPLACED };

/* The other side has this entry as it is now. */
static bool explained(const struct entry *entry, const struct op *op, bool deleted)
{
    if (!entry_alive(entry))
        return deleted || (op && op->kind == CHANGE_DELETE) || entry->seq == 0;
    return op && op->kind != CHANGE_DELETE && entry_is(entry, &op->wanted);
}

/* What the other side did not have before and has not sent gets a version of its own, which it does not have. */
static void set_apart(struct carrier *carrier, struct entry *entry, bool deleted)
{
    char path[PATH_MOST + 1];
    const struct op *op = entry_path(entry, path) ? op_at(carrier, path) : NULL;
    bool gone = op && op->kind == CHANGE_DELETE && (op->done || op->verdict == DO_NOTHING);
    if (entry->seq > carrier->receiving->seq && !explained(entry, op, deleted))
        index_change(&carrier->index, entry);
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        if (child->below > carrier->receiving->seq)
            set_apart(carrier, child, deleted || gone);
}

/* Something that is not what was put is in its place, or in the place of a folder above. */
static bool in_the_way(const struct carrier *carrier, const char *path)
{
    const struct entry *entry = carrier->index.root;
    while (entry && *path && entry->type == TYPE_FOLDER) {
        size_t length = strcspn(path, "/");
        entry = length <= NAME_MOST ? index_find(&carrier->index, entry, path, length) : NULL;
        path += length;
        path += *path == '/';
    }
    return entry && (entry_alive(entry) || entry->skip != SKIP_NOT);
}

/* What was put and could not be moved in is no conflict if a folder above was away. It must come again, because nothing
 * that is here says so to the other side. */
static void find_unplaced(struct carrier *carrier)
{
    const struct receiving *receiving = carrier->receiving;
    /* Of what is only kept nothing was to be moved in. */
    for (uint32_t number = 0; number < receiving->count && !receiving->keep_only; number++) {
        struct op *op = &receiving->ops[number];
        if (op->verdict == IN_CONFLICT && op->kind != CHANGE_DELETE && !in_the_way(carrier, op->path))
            op->verdict = IS_UNSTABLE;
    }
}

static void change_once(struct index *index, struct entry *entry)
{
    if (entry->seq < index->next)
        index_change(index, entry);
}

static void change_below(struct index *index, struct entry *entry)
{
    change_once(index, entry);
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        if (entry_alive(child))
            change_below(index, child);
}

static bool taken(const struct op *op)
{
    return op->verdict != IN_CONFLICT && op->verdict != IS_UNSTABLE;
}

/* Where both changed something, or what was moved was elsewhere or gone when it was looked at, the other side must hear
 * what it is here. */
static void set_op_apart(struct index *index, const struct op *op)
{
    struct entry *entry = index_at(index, op->path);
    bool here = entry && entry_alive(entry), put = op->kind != CHANGE_DELETE;
    if (!put && here && taken(op))
        change_below(index, entry);
    else if (entry && (!taken(op) || (here && put && !entry_is(entry, &op->wanted))))
        change_once(index, entry);
    if (!here && put && taken(op) && (entry = index_make(index, op->path)))
        index_lost(index, entry);
}

static void set_ops_apart(struct carrier *carrier)
{
    const struct receiving *receiving = carrier->receiving;
    for (uint32_t number = 0; number < receiving->count; number++)
        if (receiving->ops[number].verdict != IS_UNSTABLE)
            set_op_apart(&carrier->index, &receiving->ops[number]);
}

/* What a folder that home deleted has here. */
struct remains {
    /* Nothing that is carried but folders that home had. */
    bool left;
    /* Something that is not carried: it holds the folder in its place. */
    bool held;
};

static struct remains had_nothing_below(struct index *index, struct entry *entry);

/* If only folders that home had are left, because what is not carried holds them in their place, there is nothing to
 * tell home of. One that was made here is new to home. One that nothing holds was not as it was known as it should go:
 * home hears of it. */
static struct remains had_nothing(struct index *index, struct entry *entry)
{
    static const struct record none;
    struct remains found = had_nothing_below(index, entry);
    found.left &= !entry_alive(entry) || (found.held && entry_had_folder(entry));
    found.held |= entry->skip != SKIP_NOT;
    if (found.left)
        dirty_left(index, entry);
    else
        dirty_base(index, entry, &none);
    if (!entry_alive(entry) && entry->skip == SKIP_NOT && !entry->base)
        index_forget(index, entry);
    return found;
}

static struct remains had_nothing_below(struct index *index, struct entry *entry)
{
    struct remains all = { .left = true, .held = false };
    for (struct entry *child = entry_child(entry), *next; child; child = next) {
        next = entry_next(child);
        struct remains its = had_nothing(index, child);
        all.left &= its.left;
        all.held |= its.held;
    }
    return all;
}

/* What home has now, as far as it was taken here. What was not, is still what it was. */
static void set_base(struct index *index, struct entry *entry, const struct op *op)
{
    if (op->kind == CHANGE_DELETE) {
        /* It may be forgotten by that. */
        had_nothing(index, entry);
        return;
    }
    dirty_base(index, entry, &op->wanted);
    if (op->wanted.type != TYPE_FOLDER)
        had_nothing_below(index, entry);
}

/* Home has nothing where it deleted, even if something stays here, unless that is only left behind. What home put and
 * is refused here must come again. */
static void set_bases(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    bool refused = false;
    for (uint32_t number = 0; number < receiving->count; number++) {
        const struct op *op = &receiving->ops[number];
        bool put = op->kind != CHANGE_DELETE, takes = taken(op);
        struct entry *entry = put && takes ? index_make(&carrier->index, op->path) : index_at(&carrier->index, op->path);
        refused |= !takes && put;
        if (entry && (takes || !put))
            set_base(&carrier->index, entry, op);
    }
    if (refused)
        return;
    carrier->index.at_epoch = receiving->epoch;
    carrier->index.at_seq = receiving->seq;
}

struct telling {
    size_t from;
    uint32_t count, told;
};

static bool is_refused(const struct op *op, enum why why)
{
    switch (why) {
    case WHY_UNSTABLE:
        return op->verdict == IS_UNSTABLE;
    case WHY_CONFLICT:
        return op->verdict == IN_CONFLICT;
    default:
        return op->out_kept || (op->aside && op->verdict != IS_UNSTABLE && op->verdict != IN_CONFLICT);
    }
}

static void put_refused_for(struct carrier *carrier, enum why why, struct telling *telling)
{
    struct stream *stream = &carrier->stream;
    const struct receiving *receiving = carrier->receiving;
    for (uint32_t number = 0; number < receiving->count; number++) {
        const struct op *op = &receiving->ops[number];
        if (!is_refused(op, why))
            continue;
        telling->count++;
        if (stream->out_end - telling->from > TOLD_BYTES)
            continue;
        stream_put_u8(stream, (uint8_t)why);
        stream_put_u8(stream, why == WHY_REPLACED ? op->out_kept : op->kept);
        stream_put_u32(stream, why == WHY_REPLACED ? number + receiving->count : number);
        stream_put_text(stream, op->path);
        telling->told++;
    }
}

/* What must come again first: of it nothing may be untold unless all that is told is of it. Then what is kept of this side,
 * which nobody else names. */
static void put_refused(struct carrier *carrier)
{
    uint8_t *hole = stream_hole(&carrier->stream, 8);
    struct telling telling = {.from = carrier->stream.out_end};
    put_refused_for(carrier, WHY_UNSTABLE, &telling);
    put_refused_for(carrier, WHY_REPLACED, &telling);
    put_refused_for(carrier, WHY_CONFLICT, &telling);
    if (hole) {
        put_u32(hole, telling.count);
        put_u32(hole + 4, telling.told);
    }
}

static uint32_t count_done(const struct receiving *receiving)
{
    uint32_t done = 0;
    for (uint32_t number = 0; number < receiving->count; number++)
        done += receiving->ops[number].done;
    return done;
}

void tell_applied(struct carrier *carrier)
{
    struct stream *stream = &carrier->stream;
    struct index *index = &carrier->index;
    uint64_t lost = index->guarded - index->entries;
    settle(carrier, false);
    find_unplaced(carrier);
    /* What a command deletes is meant; what was gone before it is not. */
    index->guarded = index->entries + lost;
    uint64_t version = index->seq;
    bool based = index->keeps_base || epochs_know(index, carrier->receiving->epoch, carrier->receiving->seq);
    if (index->keeps_base) {
        set_bases(carrier);
    } else if (based) {
        set_apart(carrier, index->root, false);
        set_ops_apart(carrier);
    }
    stream_begin(stream, FRAME_APPLIED);
    /* From a version that is not known here nothing follows: then there is none to go on from. */
    stream_put_u64(stream, based ? index->epoch : 0);
    stream_put_u64(stream, based ? version : 0);
    put_tree(carrier);
    stream_put_u32(stream, count_done(carrier->receiving));
    stream_put_u64(stream, carrier->receiving->kept);
    put_refused(carrier);
    stream_end(stream);
    settle_version(carrier);
    dirty_clean(index);
    carrier->unsaved = true;
    saved_open(carrier);
}
