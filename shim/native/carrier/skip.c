#include "skip.h"

#include <stdio.h>
#include <string.h>

#include "area-aside.h"

/* Of what is skipped, at most so many names that a walk found are kept. */
enum { NAMES_MOST = 100 * 1000 };

/* Ours, where the folder for it is in the tree itself. */
static bool reserved(const char *name)
{
    static const char area[] = ".clawrden";
    return strcmp(name, area) == 0 || aside_named(area, name);
}

static bool excluded(const struct carrier *carrier, const char *path, const char *name)
{
    for (uint32_t i = 0; i < carrier->limits.excluded; i++) {
        const char *exclude = carrier->limits.excludes[i];
        if (strcmp(strchr(exclude, '/') ? path : name, exclude) == 0)
            return true;
    }
    return false;
}

static bool entry_excluded(const struct carrier *carrier, const struct entry *entry)
{
    char path[PATH_MOST + 1];
    return carrier->limits.excluded > 0 && (!entry_path(entry, path) || excluded(carrier, path, entry->name));
}

static bool too_deep(const struct carrier *carrier, const struct entry *entry)
{
    size_t length = 0, depth = 0;
    for (; entry_parent(entry); entry = entry_parent(entry)) {
        length += (size_t)entry->length + 1;
        depth++;
    }
    return depth > carrier->limits.depth || length > PATH_MOST;
}

uint64_t skip_most(const struct carrier *carrier, const struct entry *entry)
{
    uint64_t size = entry_size(entry), own = size > BLOCK_BYTES ? size : 0;
    uint64_t others = carrier->index.listed - own, most = carrier->limits.bytes;
    uint64_t room = most > others ? most - others : 0;
    if (carrier->limits.replica)
        return UINT64_MAX;
    if (room < BLOCK_BYTES)
        room = BLOCK_BYTES;
    return size > room ? size : room;
}

enum skip skip_for_size(const struct carrier *carrier, uint64_t size, uint64_t most)
{
    if (size > carrier->limits.file)
        return SKIP_TOO_LARGE;
    return size > most ? SKIP_FULL : SKIP_NOT;
}

enum skip skip_why(const struct carrier *carrier, const struct entry *entry, const struct stat *status, uint64_t most)
{
    const struct index *index = &carrier->index;
    if (entry_parent(entry) == index->root && reserved(entry->name))
        return SKIP_RESERVED;
    if (status->st_dev != carrier->device)
        return SKIP_OTHER_DEVICE;
    if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode) && !S_ISLNK(status->st_mode))
        return SKIP_SPECIAL;
    if (too_deep(carrier, entry))
        return SKIP_TOO_DEEP;
    if (entry_excluded(carrier, entry))
        return SKIP_RESERVED;
    enum skip size = S_ISREG(status->st_mode) ? skip_for_size(carrier, (uint64_t)status->st_size, most) : SKIP_NOT;
    if (size != SKIP_NOT)
        return size;
    if (!entry_alive(entry) && index->entries >= carrier->limits.entries)
        return SKIP_FULL;
    return SKIP_NOT;
}

/* No rule leaves it out. */
static bool is_missed(enum skip skip)
{
    return skip == SKIP_FULL || skip == SKIP_XATTRS || skip == SKIP_UNREADABLE;
}

/* What is larger than a limit that was lowered, home carries no more, either. */
static bool grew(const struct carrier *carrier, const struct entry *entry)
{
    struct record base;
    return entry_base(entry, &base) && base.type != TYPE_NONE && base.size <= carrier->limits.file;
}

/* Of home only what was there and cannot be read is not told: that it is gone nobody knows. */
static bool held_back(const struct carrier *carrier, const struct entry *entry)
{
    if (!carrier->limits.replica)
        return entry->skip == SKIP_UNREADABLE && entry->flags & ENTRY_MISSED;
    return is_missed(entry->skip) || (entry->skip == SKIP_TOO_LARGE && grew(carrier, entry));
}

/* No event comes for one that a disk failed to read: `again` looks at all of them. */
static struct entry *first_held_back(struct carrier *carrier, struct entry *entry, bool again)
{
    struct entry *first = held_back(carrier, entry) ? entry : NULL;
    if (first && again && first->skip != SKIP_FULL)
        index_queue(&carrier->index, first);
    for (struct entry *child = entry_child(entry); child && (again || !first); child = entry_next(child)) {
        struct entry *found = first_held_back(carrier, child, again);
        first = first ? first : found;
    }
    return first;
}

bool skip_holds_back(struct carrier *carrier)
{
    struct index *index = &carrier->index;
    return index->overfull || (index->skipped > 0 && first_held_back(carrier, index->root, false));
}

static const char *said_of(const struct entry *entry, const char *code, const char *what)
{
    static char text[512];
    char path[PATH_MOST + 1] = "";
    entry_path(entry, path);
    snprintf(text, sizeof text, "%s: %.400s %s", code, *path ? path : "the workspace", what);
    return text;
}

/* Of home it is no fault of the other side, whichever replica asks. */
const char *skip_unread(const struct carrier *carrier, const struct entry *entry)
{
    return said_of(entry, carrier->limits.replica ? "carrier-failed" : "workspace-unread", "cannot be read");
}

const char *skip_wrong(struct carrier *carrier)
{
    struct index *index = &carrier->index;
    bool overfull = carrier->limits.replica && index->overfull;
    struct entry *entry = index->skipped > 0 ? first_held_back(carrier, index->root, true) : NULL;
    carrier->rescan |= overfull;
    if (overfull || (entry && entry->skip == SKIP_FULL))
        return "workspace-limit: there are more entries than a workspace may have";
    if (!entry)
        return NULL;
    if (entry->skip == SKIP_UNREADABLE)
        return skip_unread(carrier, entry);
    const char *what = entry->skip == SKIP_TOO_LARGE ? "is larger than a file may be" : "has more attributes than are carried";
    return said_of(entry, "workspace-limit", what);
}

void skip_set(struct index *index, struct entry *entry, enum skip skip)
{
    index->skipped += (entry->skip == SKIP_NOT) != (skip == SKIP_NOT) ? (skip == SKIP_NOT ? -1 : 1) : 0;
    index->too_large += (uint64_t)(skip == SKIP_TOO_LARGE) - (entry->skip == SKIP_TOO_LARGE);
    index->full += (uint64_t)(skip == SKIP_FULL) - (entry->skip == SKIP_FULL);
    entry->skip = (uint8_t)skip;
}

void skip_bound(struct carrier *carrier, struct entry *entry)
{
    struct index *index = &carrier->index;
    bool known = entry->seq > 0 || entry->child || entry->flags & ENTRY_QUEUED;
    if (entry->skip == SKIP_NOT || index->skipped <= NAMES_MOST || known)
        return;
    index->overfull |= is_missed(entry->skip);
    skip_set(index, entry, SKIP_NOT);
    index_forget(index, entry);
    index->unlisted = true;
}

static void queue_skipped(struct index *index, struct entry *entry, bool freed)
{
    if (entry->skip == SKIP_TOO_LARGE || (freed && entry->skip == SKIP_FULL))
        index_queue(index, entry);
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        queue_skipped(index, child, freed);
}

void skip_queue_again(struct carrier *carrier)
{
    struct index *index = &carrier->index;
    bool freed = (index->freed || index->shrunk) && index->full > 0;
    if (freed || (index->shrunk && index->too_large > 0))
        queue_skipped(index, index->root, freed);
    carrier->rescan |= (index->freed && index->overfull) || (index->shrunk && index->unlisted);
    index->shrunk = index->freed = false;
}

static bool name_carried(const char *name, size_t length)
{
    return length > 0 && length <= NAME_MOST && !(length == 1 && name[0] == '.')
        && !(length == 2 && name[0] == '.' && name[1] == '.');
}

static bool names_carried(const struct carrier *carrier, const char *path)
{
    char name[NAME_MOST + 1];
    uint32_t depth = 0;
    for (const char *at = path;; at++) {
        size_t length = strcspn(at, "/");
        if (!name_carried(at, length) || ++depth > carrier->limits.depth)
            return false;
        memcpy(name, at, length);
        name[length] = 0;
        if (depth == 1 && reserved(name))
            return false;
        at += length;
        if (*at == 0)
            return !excluded(carrier, path, name);
    }
}

bool path_carried(const struct carrier *carrier, const char *path)
{
    return *path == 0 || names_carried(carrier, path);
}

/* `large`: what is too large, else all the rest. */
static void tell_below(struct carrier *carrier, const struct entry *entry, size_t most, bool large, uint16_t *told)
{
    char path[PATH_MOST + 1];
    enum skip why = entry->flags & ENTRY_UNREADABLE ? SKIP_UNREADABLE : (enum skip)entry->skip;
    if (*told >= PATHS_TOLD || carrier->stream.out_end >= most)
        return;
    if (why != SKIP_NOT && large == (why == SKIP_TOO_LARGE) && entry_path(entry, path)) {
        stream_put_u8(&carrier->stream, (uint8_t)why);
        stream_put_text(&carrier->stream, *path ? path : ".");
        (*told)++;
    }
    for (const struct entry *child = entry_child(entry); child && *told < PATHS_TOLD; child = entry_next(child))
        tell_below(carrier, child, most, large, told);
}

void skip_tell(struct carrier *carrier)
{
    uint64_t all = carrier->index.skipped + carrier->index.unreadable;
    stream_put_u32(&carrier->stream, (uint32_t)all);
    uint8_t *count = stream_hole(&carrier->stream, 2);
    uint16_t told = 0;
    size_t most = carrier->stream.out_end + PATHS_TOLD_BYTES;
    /* A hundred names that are excluded hide no file that a tool made too large. */
    if (carrier->index.too_large > 0)
        tell_below(carrier, carrier->index.root, most, true, &told);
    if (all > 0)
        tell_below(carrier, carrier->index.root, most, false, &told);
    if (count)
        put_u16(count, told);
}
