#include "settle.h"

#include <fcntl.h>
#include <unistd.h>

#include "epochs.h"
#include "folders.h"
#include "links.h"
#include "look.h"
#include "notify.h"
#include "saved.h"
#include "skip.h"
#include "strays.h"
#include "tree-id.h"

enum { PASSES_MOST = 8, LOOKS_MOST = 3 };

static bool lives(const struct entry *folder)
{
    for (; folder; folder = entry_parent(folder))
        if (folder->type != TYPE_FOLDER)
            return false;
    return true;
}

static void look_again(struct carrier *carrier, struct entry *entry, struct open_folder *open_folder)
{
    if (!entry_parent(entry)) {
        scan_root(carrier, false);
        return;
    }
    if (!lives(entry_parent(entry)))
        return;
    int fd = folder_of(carrier, entry, open_folder);
    if (fd < 0) {
        if (folder_unread(carrier) == SKIP_UNREADABLE)
            leave_out(carrier, entry, SKIP_UNREADABLE);
        /* Its folder is away, and may come back as it was: nobody would tell of this entry again. */
        index_queue(&carrier->index, entry_parent(entry));
        index_queue(&carrier->index, entry);
        return;
    }
    if (look(carrier, fd, entry))
        scan_inside(carrier, fd, entry);
}

/* What is queued while this goes on is for the next pass. */
static void look_at_queue(struct carrier *carrier)
{
    struct index *index = &carrier->index;
    struct open_folder open_folder = {NULL, -1};
    size_t count = index->queued;
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = index->queue[i];
        entry->flags = (uint16_t)((entry->flags & ~ENTRY_QUEUED) | ENTRY_IN_PASS);
        look_again(carrier, entry, &open_folder);
    }
    folder_close(&open_folder);
    /* Nothing in what was looked at refers to what stands for nothing. */
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = index->queue[i];
        entry->flags &= (uint16_t)~ENTRY_IN_PASS;
        if (!entry_alive(entry) && entry->seq == 0 && entry->skip == SKIP_NOT && !entry->base)
            index_forget(index, entry);
    }
    for (size_t i = count; i < index->queued; i++)
        index->queue[i - count] = index->queue[i];
    index->queued -= count;
}

static void queue_unstable(struct carrier *carrier, struct entry *entry)
{
    if (entry->flags & ENTRY_UNSTABLE)
        index_queue(&carrier->index, entry);
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        if (child->below == carrier->index.next || child->flags & ENTRY_UNSTABLE)
            queue_unstable(carrier, child);
}

void settle_version(struct carrier *carrier)
{
    struct index *index = &carrier->index;
    links_mend(index);
    if (!tree_refresh(index))
        index->failed = true;
    if (!index->changed)
        return;
    epochs_before_next(index);
    index->seq = index->next++;
    index->changed = false;
    carrier->unsaved = true;
    saved_open(carrier);
}

void settle_queue(struct carrier *carrier)
{
    for (int pass = 0; pass < PASSES_MOST && carrier->index.queued > 0; pass++) {
        look_at_queue(carrier);
        /* What was written through a name that is gone is seen at the others. */
        links_queue_torn(&carrier->index);
        skip_queue_again(carrier);
    }
}

static void look_at_all(struct carrier *carrier)
{
    carrier->rescan = false;
    scan_root(carrier, true);
    settle_queue(carrier);
}

void settle(struct carrier *carrier, bool all)
{
    notify_drain(carrier);
    strays_queue(&carrier->index);
    if (all || !carrier->watching || carrier->rescan) {
        notify_try_again(carrier, all);
        look_at_all(carrier);
    } else {
        settle_queue(carrier);
    }
    /* What found no room may have some now, and part of it has no name here. */
    for (int looks = 1; looks < LOOKS_MOST && carrier->rescan && carrier->index.unlisted; looks++)
        look_at_all(carrier);
    if (carrier->index.changed)
        queue_unstable(carrier, carrier->index.root);
    settle_version(carrier);
    if (carrier->index.guarded < carrier->index.entries)
        carrier->index.guarded = carrier->index.entries;
}

bool root_lost(const struct carrier *carrier)
{
    struct stat status;
    if (carrier->jail.point)
        return jail_moved(&carrier->jail);
    if (stat(carrier->limits.root, &status) != 0)
        return true;
    return status.st_ino != carrier->root_inode || status.st_dev != carrier->device;
}
