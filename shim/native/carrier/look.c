#include "look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "beneath.h"
#include "goes-on.h"
#include "inodes.h"
#include "links.h"
#include "notify.h"
#include "read-entry.h"
#include "skip.h"
#include "strays.h"
#include "watches.h"

/* Within so much of a change the clock that stamps files may stand still: what is read then may change and look the same. */
enum { CLOCK_STANDS_NS = 20 * 1000 * 1000 };

/* Nothing has happened to it since its record was made. */
static bool holds(const struct entry *entry, const struct stat *status)
{
    struct record record = record_of(status);
    if (entry->flags & ENTRY_UNSTABLE || entry_inode(entry) != status->st_ino || entry_ctime(entry) != nanoseconds(&status->st_ctim))
        return false;
    struct record now = entry_now(entry);
    if (now.type != record.type || now.mode != record.mode || now.uid != record.uid || now.gid != record.gid)
        return false;
    if (now.mtime != record.mtime || (now.size != record.size && !(entry->flags & ENTRY_UNREADABLE)))
        return false;
    return entry->flags & ENTRY_BELIEVED;
}

/* Another name of the same inode that was read since it changed last knows all of it. */
static bool known_by_other_name(const struct entry *entry, struct found *found)
{
    const struct entry *others[] = {inode_before(entry), inode_next(entry)};
    for (int i = 0; i < 2; i++) {
        const struct entry *other = others[i];
        if (!other || !(entry->flags & ENTRY_LINKED) || entry_inode(other) != entry_inode(entry) || !holds(other, &found->status))
            continue;
        if (entry_blocks(other) || other->flags & ENTRY_UNREADABLE)
            continue;
        found->looked = INT64_MAX;
        found->record = entry_now(other);
        return true;
    }
    return false;
}

static bool believed(const struct found *found)
{
    int64_t changed = nanoseconds(&found->status.st_ctim);
    return found->looked >= changed && (uint64_t)found->looked - (uint64_t)changed >= CLOCK_STANDS_NS;
}

static void keep_facts(struct index *index, struct entry *entry, struct found *found)
{
    uint32_t cleared = ENTRY_UNSTABLE | ENTRY_BELIEVED | ENTRY_DOUBTED;
    index_blocks(index, entry, found->content.blocks);
    index_unreadable(index, entry, found->flags & ENTRY_UNREADABLE);
    entry->flags = (uint16_t)((entry->flags & ~cleared) | found->flags | (believed(found) ? ENTRY_BELIEVED : 0));
    index_facts(index, entry, found->status.st_ino, nanoseconds(&found->status.st_ctim));
}

/* The index says what was found; what was there before is not the same thing where a folder is concerned. */
static void take(struct carrier *carrier, struct entry *entry, struct found *found)
{
    struct index *index = &carrier->index;
    uint32_t before = entry->flags & ~(uint32_t)(ENTRY_MISSED | (entry->seq < index->next ? ENTRY_NEW : 0));
    entry->flags = (uint16_t)(before | (entry_alive(entry) || entry->flags & ENTRY_MISSED ? 0 : ENTRY_NEW));
    bool folder = entry->type == TYPE_FOLDER || found->record.type == TYPE_FOLDER || !entry_alive(entry);
    if (folder && (entry->type != found->record.type || entry_inode(entry) != found->status.st_ino))
        replaced(carrier, entry, found->record.type == TYPE_FOLDER);
    bool unstable = entry->flags & ENTRY_UNSTABLE;
    /* Folders keep the id of what is in them; links are put in order at the end of a settle. */
    found->record.link = entry->type == TYPE_FILE && entry_inode(entry) == found->status.st_ino ? entry_link(entry) : 0;
    if (found->record.type == TYPE_FOLDER)
        memcpy(found->record.id, entry_id(entry), SHA256_BYTES);
    bool other = unstable || !entry_is(entry, &found->record);
    index->freed |= found->record.size < entry_size(entry);
    if (other)
        index_set(index, entry, &found->record);
    index->shrunk |= other && found->record.type == TYPE_FILE && found->status.st_nlink > 1;
    bool joins = !(entry->flags & ENTRY_LINKED) || entry_inode(entry) != found->status.st_ino;
    if (found->open)
        strays_add(index, found->status.st_ino);
    keep_facts(index, entry, found);
    if ((other || joins) && !links_agree(entry))
        links_queue(index, entry);
    skip_set(index, entry, SKIP_NOT);
}

/* What happens in a folder is told only if it is watched. It may have lost its watch to another name that it had for a
 * moment, or never have had one because it could not be opened. */
static bool unwatched(const struct carrier *carrier, const struct entry *entry)
{
    return entry->type == TYPE_FOLDER && carrier->watching && watch_of(entry) < 0;
}

bool look(struct carrier *carrier, int folder, struct entry *entry)
{
    struct found found = {.most = skip_most(carrier, entry)};
    bool known = entry->type == TYPE_FOLDER, closed = known && entry->flags & ENTRY_UNREADABLE;
    uint64_t inode = entry_inode(entry);
    goes_on(carrier);
    if (fstatat(folder, entry->name, &found.status, AT_SYMLINK_NOFOLLOW) != 0) {
        /* Its folder is closed: it is not gone, and is looked at as soon as that opens. */
        if (errno == EACCES)
            return false;
        bool gone = errno == ENOENT || errno == ENOTDIR;
        /* What was mounted there may have died: it was not carried before. */
        if (gone || entry->skip != SKIP_OTHER_DEVICE)
            leave_out(carrier, entry, gone ? SKIP_NOT : SKIP_UNREADABLE);
        return false;
    }
    enum skip skip = skip_why(carrier, entry, &found.status, found.most);
    if (skip == SKIP_NOT && holds(entry, &found.status)) {
        strays_look(&carrier->index, entry, found.status.st_nlink);
        return unwatched(carrier, entry);
    }
    if (skip == SKIP_NOT && !known_by_other_name(entry, &found))
        skip = read_entry(carrier, folder, entry->name, &found);
    if (skip != SKIP_NOT) {
        free(found.content.blocks);
        leave_out(carrier, entry, skip);
        return false;
    }
    take(carrier, entry, &found);
    strays_look(&carrier->index, entry, found.status.st_nlink);
    bool same = known && inode == entry_inode(entry);
    bool opens = closed && !(entry->flags & ENTRY_UNREADABLE);
    return entry->type == TYPE_FOLDER && (!same || opens || unwatched(carrier, entry));
}

void scan_root(struct carrier *carrier, bool all)
{
    struct entry *root = carrier->index.root;
    struct found found = {0};
    if (fstat(carrier->root, &found.status) != 0) {
        carrier->index.failed = true;
        return;
    }
    if (!holds(root, &found.status)) {
        enum skip skip = read_entry(carrier, carrier->root, "", &found);
        carrier->index.failed |= skip == SKIP_UNREADABLE;
        /* It is read again at each look until nothing is wrong with it. */
        if (skip != SKIP_NOT)
            found.looked = 0;
        skip_set(&carrier->index, root, skip);
        if (root->type == TYPE_FOLDER)
            memcpy(found.record.id, entry_id(root), SHA256_BYTES);
        if (!entry_is(root, &found.record))
            index_set(&carrier->index, root, &found.record);
        keep_facts(&carrier->index, root, &found);
    }
    int fd = all ? beneath_open(carrier->root, "", O_RDONLY | O_DIRECTORY) : -1;
    /* What cannot be opened is not empty. */
    carrier->index.failed |= all && fd < 0 && errno != EACCES;
    if (fd < 0)
        return;
    /* This look says so again if it is still so. */
    carrier->index.overfull = carrier->index.unlisted = false;
    scan(carrier, root, fd);
}
