#include "judge.h"

#include <string.h>

#include "stage.h"

bool dirty_below(const struct entry *entry)
{
    if (entry_dirty(entry))
        return true;
    for (const struct entry *child = entry_child(entry); child; child = entry_next(child))
        if (dirty_below(child))
            return true;
    return false;
}

static bool same_content(const struct entry *entry, const struct record *wanted)
{
    return entry->type == wanted->type && entry_size(entry) == wanted->size && memcmp(entry_id(entry), wanted->id, SHA256_BYTES) == 0;
}

bool judge_known(const struct carrier *carrier, const struct entry *entry, const struct op *op)
{
    if (carrier->receiving->force)
        return true;
    if (op->bits & CHANGE_WAS)
        return entry->type == op->was_type && memcmp(entry_id(entry), op->was_id, SHA256_BYTES) == 0;
    /* Home says nothing of what was: a replica knows it, and never loses what home has not. */
    return carrier->limits.replica && !dirty_below(entry);
}

static enum verdict judge_delete(const struct carrier *carrier, const struct entry *entry, const struct op *op)
{
    if (!entry)
        return DO_NOTHING;
    if (judge_known(carrier, entry, op))
        return DO_DELETE;
    /* One that was made here goes for no other's end. If the index was lost, nobody knows. */
    bool had = entry_had_folder(entry) || (entry->type == TYPE_FOLDER && carrier->receiving->whole);
    bool folder = had && (!(op->bits & CHANGE_WAS) || op->was_type == TYPE_FOLDER);
    return folder ? DO_EMPTY : IN_CONFLICT;
}

static enum verdict judge_meta(const struct entry *entry, const struct op *op)
{
    if (!entry)
        return op->wanted.type == TYPE_FOLDER ? DO_MAKE : DO_NOTHING;
    if (entry_is(entry, &op->wanted))
        return DO_NOTHING;
    if (entry->type != op->wanted.type)
        return IN_CONFLICT;
    return op->wanted.type == TYPE_FOLDER || same_content(entry, &op->wanted) ? DO_META : IN_CONFLICT;
}

static enum verdict judge_put(const struct carrier *carrier, const struct entry *entry, const struct op *op)
{
    if (!entry)
        return DO_MAKE;
    if (entry_is(entry, &op->wanted))
        return DO_NOTHING;
    bool folders = entry->type == TYPE_FOLDER && op->wanted.type == TYPE_FOLDER;
    if (folders || (same_content(entry, &op->wanted) && entry_link(entry) == op->wanted.link))
        return DO_META;
    /* Nobody knows what is in it, so nobody replaces it. */
    bool unread = entry->flags & ENTRY_UNREADABLE && !carrier->receiving->force;
    /* A folder of which each entry is told: it goes where they leave it empty. */
    bool told = entry->type == TYPE_FOLDER && op->bits & CHANGE_WAS && op->was_type == TYPE_FOLDER;
    return told || (!unread && judge_known(carrier, entry, op)) ? DO_REPLACE : IN_CONFLICT;
}

static enum verdict judge_alone(const struct carrier *carrier, const struct op *op)
{
    const struct entry *entry = living(carrier, op->path);
    if (op->kind == CHANGE_DELETE)
        return judge_delete(carrier, entry, op);
    return op->kind == CHANGE_META ? judge_meta(entry, op) : judge_put(carrier, entry, op);
}

/* Of what both sides changed the other side's may stand. A folder here is never more than emptied, and of what changed
 * only its mode the bytes did not come. */
static enum verdict judge(const struct carrier *carrier, struct op *op)
{
    enum verdict verdict = judge_alone(carrier, op);
    if (carrier->receiving->keep_only)
        return verdict == DO_NOTHING ? DO_NOTHING : IN_CONFLICT;
    const struct entry *entry = living(carrier, op->path);
    op->aside = carrier->receiving->theirs && verdict == IN_CONFLICT && op->kind != CHANGE_META && entry
        && entry->type != TYPE_FOLDER;
    if (!op->aside)
        return verdict;
    return op->kind == CHANGE_DELETE ? DO_DELETE : DO_REPLACE;
}

/* Another name follows its first: where that is a new file here, it is one of its names, and where that stays, of what is here. */
static void judge_link(struct carrier *carrier, struct op *op)
{
    const struct op *first = op_at(carrier, op->target);
    if (!first)
        return;
    bool first_comes = first->verdict == DO_MAKE || first->verdict == DO_REPLACE;
    bool comes = op->verdict == DO_MAKE || op->verdict == DO_REPLACE;
    if (first_comes && !comes && op->verdict != IN_CONFLICT)
        op->verdict = living(carrier, op->path) ? DO_REPLACE : DO_MAKE;
    if (comes && (first->verdict == DO_META || first->verdict == DO_NOTHING))
        stage_name_of_living(carrier, op);
}

void judge_all(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    for (uint32_t number = 0; number < receiving->count; number++)
        receiving->ops[number].verdict = (uint8_t)judge(carrier, &receiving->ops[number]);
    for (uint32_t number = 0; number < receiving->count; number++)
        if (receiving->ops[number].kind == CHANGE_LINK)
            judge_link(carrier, &receiving->ops[number]);
}
