#include "background.h"

#include "carrier.h"
#include "clocks.h"
#include "links.h"
#include "look.h"
#include "notify.h"
#include "settle.h"

/* What a call changes can be seen before its end, and the kernel tells of it at its end: an ext4 file is truncated before
 * the call waits for the journal. */
enum { EVERY_MS = 10 * 60 * 1000, QUIET_MS = 60 * 1000, TELLS_WITHIN_MS = 1000 };

void background_begin(struct carrier *carrier)
{
    carrier->background.due = monotonic_ms() + EVERY_MS;
}

void background_postpone(struct carrier *carrier)
{
    int64_t soonest = monotonic_ms() + QUIET_MS;
    if (carrier->background.due > 0 && carrier->background.due < soonest)
        carrier->background.due = soonest;
}

int background_wait_ms(const struct carrier *carrier)
{
    if (carrier->background.due == 0 || !carrier->watching)
        return -1;
    int64_t left = carrier->background.due - monotonic_ms();
    return left < 0 ? 0 : (int)left;
}

/* Only what is still in the queue: somebody who goes on writing keeps it from getting empty, and the next settle would
 * find that without us. */
static void told_is_queued(struct entry *entry)
{
    entry->flags &= (uint16_t)~ENTRY_TOLD;
    if (entry->flags & ENTRY_QUEUED)
        entry->flags |= ENTRY_TOLD;
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        told_is_queued(child);
}

/* What changed in the version in the making, and neither it nor a folder above nor another name of it was told of. */
static uint64_t count_missed(const struct index *index, const struct entry *entry, bool told)
{
    told = told || entry->flags & ENTRY_TOLD || links_told(index, entry);
    uint64_t missed = entry->seq == index->next && !told;
    for (const struct entry *child = entry_child(entry); child; child = entry_next(child))
        if (child->below == index->next)
            missed += count_missed(index, child, told);
    return missed;
}

/* Waits for calls that go on, if it seems that something was missed. */
static uint64_t missed(struct carrier *carrier)
{
    struct index *index = &carrier->index;
    int64_t until = monotonic_ms() + TELLS_WITHIN_MS;
    for (;;) {
        uint64_t count = carrier->rescan || !index->changed ? 0 : count_missed(index, index->root, false);
        int64_t left = until - monotonic_ms();
        if (count == 0 || left <= 0 || !notify_wait(carrier, (int)left))
            return count;
        notify_drain(carrier);
    }
}

void background_look(struct carrier *carrier)
{
    settle(carrier, false);
    if (!carrier->watching)
        return;
    told_is_queued(carrier->index.root);
    scan_root(carrier, true);
    /* Somebody may have written meanwhile. */
    notify_drain(carrier);
    settle_queue(carrier);
    notify_drain(carrier);
    carrier->background.looks++;
    carrier->background.missed += missed(carrier);
    settle_version(carrier);
}

void background_run(struct carrier *carrier)
{
    if (background_wait_ms(carrier) != 0)
        return;
    if (!carrier->receiving && !carrier->background.sent && !root_lost(carrier))
        background_look(carrier);
    background_begin(carrier);
}
