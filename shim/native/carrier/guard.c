#include "guard.h"


/* More than half, if that is more than so many; or everything. */
enum { GONE_MOST = 1000 };

static bool too_much(uint64_t before, uint64_t now)
{
    uint64_t gone = before > now ? before - now : 0;
    return (gone > GONE_MOST && gone > before / 2) || (before > 1 && now <= 1);
}

bool guard_suspects(const struct carrier *carrier)
{
    return !carrier->limits.replica && too_much(carrier->index.guarded, carrier->index.entries);
}

void guard_trust(struct carrier *carrier)
{
    struct index *index = &carrier->index;
    if (index->guarded != index->entries)
        carrier->unsaved = true;
    index->guarded = index->entries;
}

static uint64_t living_below(const struct entry *entry)
{
    uint64_t count = entry_alive(entry);
    for (const struct entry *child = entry_child(entry); child; child = entry_next(child))
        count += living_below(child);
    return count;
}

bool guard_refuses(const struct carrier *carrier)
{
    const struct receiving *receiving = carrier->receiving;
    uint64_t going = 0;
    if (!receiving->whole || receiving->force || receiving->trusted || !carrier->limits.replica)
        return false;
    for (uint32_t number = 0; number < receiving->count; number++) {
        const struct op *op = &receiving->ops[number];
        const struct entry *entry = op->kind == CHANGE_DELETE ? living(carrier, op->path) : NULL;
        going += entry ? living_below(entry) : 0;
    }
    /* A folder that is named beside what is in it is counted twice. */
    uint64_t here = carrier->index.entries;
    return too_much(here, going < here ? here - going : 0);
}
