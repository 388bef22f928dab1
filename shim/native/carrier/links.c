#include "links.h"

#include <stdlib.h>
#include <string.h>

#include "inodes.h"
#include "strays.h"
#include "wire.h"

static const struct entry *above(const struct entry *entry, uint32_t steps)
{
    for (; steps > 0; steps--)
        entry = entry_parent(entry);
    return entry;
}

/* Whether a walk through the tree, names in the order of their bytes, comes to `a` first. */
static bool comes_first(const struct entry *a, const struct entry *b)
{
    uint32_t deep_a = entry_depth(a), deep_b = entry_depth(b);
    a = above(a, deep_a > deep_b ? deep_a - deep_b : 0);
    b = above(b, deep_b > deep_a ? deep_b - deep_a : 0);
    while (entry_parent(a) != entry_parent(b)) {
        a = entry_parent(a);
        b = entry_parent(b);
    }
    return names_order(a, b) < 0;
}

/* The first name is put before the others in the table: a file may have tens of thousands, and each asks for it. */
static struct entry *first_of(const struct index *index, uint64_t inode)
{
    struct entry *first = inodes_find(index, inode);
    if (!first || (index->torn_count == 0 && entry_link(first) == 0))
        return first;
    for (struct entry *at = inode_next(first); at; at = inode_next(at))
        if (entry_inode(at) == inode && comes_first(at, first))
            first = at;
    inodes_put_first(index, first);
    return first;
}

struct entry *links_first(const struct index *index, const struct entry *entry)
{
    struct entry *first = first_of(index, entry_inode(entry));
    return first == entry ? NULL : first;
}

static uint64_t key_of(const struct entry *entry)
{
    char path[PATH_MOST + 1];
    uint8_t digest[SHA256_BYTES];
    struct sha256 hash;
    if (!entry_path(entry, path))
        return 1;
    sha256_begin(&hash);
    sha256_add(&hash, (const uint8_t *)path, strlen(path));
    sha256_end_bytes(&hash, digest);
    return get_u64(digest) | 1;
}

static void set_link(struct index *index, struct entry *entry, uint64_t link)
{
    if (entry_link(entry) == link || !entry_alive(entry))
        return;
    struct record record = entry_now(entry);
    record.link = link;
    index_set(index, entry, &record);
}

static void mend(struct index *index, uint64_t inode)
{
    struct entry *first = first_of(index, inode);
    uint64_t key = first ? key_of(first) : 0;
    for (struct entry *at = first ? inodes_find(index, inode) : NULL; at; at = inode_next(at))
        if (entry_inode(at) == inode)
            set_link(index, at, at == first ? 0 : key);
}

static int by_inode(const void *a, const void *b)
{
    uint64_t left = ((const struct torn *)a)->inode, right = ((const struct torn *)b)->inode;
    return left < right ? -1 : left > right;
}

void links_mend(struct index *index)
{
    /* An inode of many names is torn by each of them, and put in order once. */
    if (index->torn_count > 1)
        qsort(index->torn, index->torn_count, sizeof *index->torn, by_inode);
    for (size_t i = 0; i < index->torn_count; i++)
        if (i == 0 || index->torn[i].inode != index->torn[i - 1].inode)
            mend(index, index->torn[i].inode);
    index->torn_count = index->torn_looked = 0;
}

void links_queue_torn(struct index *index)
{
    for (; index->torn_looked < index->torn_count; index->torn_looked++) {
        uint64_t inode = index->torn[index->torn_looked].inode;
        bool stays = false;
        for (struct entry *at = index->torn[index->torn_looked].left ? inodes_find(index, inode) : NULL; at;
             at = inode_next(at)) {
            if (entry_inode(at) != inode)
                continue;
            index_queue(index, at);
            stays |= !(at->flags & ENTRY_NEW) || at->seq < index->next;
        }
        /* A new name came by a rename, which takes descriptors with it, or by a link, which is told at the look. */
        if (stays)
            strays_add(index, inode);
    }
}

bool links_agree(const struct entry *entry)
{
    const struct entry *others[] = {inode_before(entry), inode_next(entry)};
    for (int i = 0; i < 2; i++) {
        if (!(entry->flags & ENTRY_LINKED) || !others[i] || entry_inode(others[i]) != entry_inode(entry))
            continue;
        struct record record = entry_now(others[i]);
        record.link = entry_link(entry);
        if (entry_is(entry, &record))
            return true;
    }
    return false;
}

void links_queue(struct index *index, const struct entry *entry)
{
    if (!(entry->flags & ENTRY_LINKED))
        return;
    for (struct entry *at = inodes_find(index, entry_inode(entry)); at; at = inode_next(at))
        if (entry_inode(at) == entry_inode(entry) && at != entry)
            index_queue(index, at);
}

static void doubt(struct entry *entry)
{
    entry->flags = (uint16_t)((entry->flags & ~ENTRY_BELIEVED) | ENTRY_DOUBTED);
    entry_unsaved(entry);
}

void links_doubt(const struct index *index, struct entry *entry)
{
    if (entry->flags & ENTRY_DOUBTED)
        return;
    doubt(entry);
    for (struct entry *at = entry->flags & ENTRY_LINKED ? inodes_find(index, entry_inode(entry)) : NULL; at; at = inode_next(at))
        if (entry_inode(at) == entry_inode(entry))
            doubt(at);
}

bool links_told(const struct index *index, const struct entry *entry)
{
    const struct entry *at = entry->flags & ENTRY_LINKED ? inodes_find(index, entry_inode(entry)) : NULL;
    while (at && !(entry_inode(at) == entry_inode(entry) && at->flags & ENTRY_TOLD))
        at = inode_next(at);
    return at;
}
