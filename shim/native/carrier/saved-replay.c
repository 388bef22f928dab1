#include "saved-replay.h"

#include <string.h>

#include "content.h"
#include "saved-format.h"

enum { LENGTH_BYTES = 8 };

/* The part at `at` is whole; then the checksum is its. Nothing of it was read into the index yet. */
static bool part_holds(struct loading *loading, uint64_t at, uint64_t length, uint8_t checksum[SHA256_BYTES])
{
    uint8_t next[SHA256_BYTES];
    loading_begin(loading, at, at + length);
    sha256_add(&loading->hash, checksum, SHA256_BYTES);
    while (loading->at < loading->end && !loading->reader.bad) {
        loading->reader.at = loading->reader.end;
        uint64_t before = loading->at;
        loading_need(loading, 1);
        loading->reader.bad = loading->at == before;
    }
    loading->reader.at = loading->reader.end;
    if (!loading_holds(loading, next))
        return false;
    memcpy(checksum, next, SHA256_BYTES);
    return true;
}

/* With what is in it, which was forgotten before it. */
static void forget(struct index *index, struct entry *entry)
{
    static const struct record none;
    for (struct entry *child = entry_child(entry), *next; child; child = next) {
        next = entry_next(child);
        forget(index, child);
    }
    index_unreadable(index, entry, false);
    index_take_up(index, entry, &none, 0);
    index_forget(index, entry);
}

/* No deeper than the index itself: much goes down it level by level. */
static bool path_holds(const char *path)
{
    uint32_t depth = 0;
    for (const char *at = path; *at; at += strcspn(at, "/"), at += *at == '/') {
        size_t length = strcspn(at, "/");
        if (length == 0 || length > NAME_MOST || ++depth > DEPTH_MOST + 1)
            return false;
    }
    return true;
}

static void read_one(struct loading *loading, uint8_t flags)
{
    char path[PATH_MOST + 1];
    struct index *index = loading->index;
    loading_need(loading, 2 + PATH_MOST);
    read_text(&loading->reader, path, PATH_MOST);
    if (loading->reader.bad || !path_holds(path)) {
        loading->reader.bad = true;
        return;
    }
    bool forgotten = !(flags & SAVED_ENTRY);
    struct entry *entry = forgotten ? index_at(index, path) : index_make(index, path);
    if (entry && forgotten && entry->parent)
        forget(index, entry);
    else if (entry && !forgotten)
        loading_facts(loading, entry, flags);
    loading->reader.bad |= !entry && !forgotten;
}

static void read_part(struct loading *loading)
{
    loading_numbers(loading);
    while (!loading->reader.bad) {
        uint8_t flags = loading_flags(loading);
        if (flags == SAVED_END)
            return;
        if (flags & (SAVED_ENTRY | SAVED_FORGOTTEN))
            read_one(loading, flags);
        else
            loading->reader.bad = true;
    }
}

bool saved_replay(struct loading *loading, uint64_t length, uint8_t checksum[SHA256_BYTES])
{
    uint8_t bytes[LENGTH_BYTES];
    uint64_t at = 0;
    while (length - at > LENGTH_BYTES + SHA256_BYTES && read_at(loading->fd, bytes, sizeof bytes, at) == sizeof bytes) {
        uint64_t part = get_u64(bytes);
        at += LENGTH_BYTES;
        if (part == 0 || part > length - at - SHA256_BYTES || !part_holds(loading, at, part, checksum))
            return true;
        loading_begin(loading, at, at + part);
        read_part(loading);
        if (!read_all(&loading->reader))
            return false;
        at += part + SHA256_BYTES;
    }
    return true;
}
