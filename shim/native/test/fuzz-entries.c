/* Feeds made-up payloads to the carrier's parsers, and made-up histories to its index, which is held against one that is
 * built anew from what lives in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "entry-frame.h"
#include "hello.h"
#include "index.h"
#include "inodes.h"
#include "links.h"
#include "skip.h"
#include "tree-id.h"
#include "xattrs.h"

static uint64_t state, seed;

static uint32_t below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) * limit >> 32);
}

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "input %llu: %s\n", (unsigned long long)seed, what);
    abort();
}

struct payload {
    size_t length;
    uint8_t bytes[8192];
};

static void add(struct payload *payload, const void *bytes, size_t length)
{
    memcpy(payload->bytes + payload->length, bytes, length);
    payload->length += length;
}

static void add_number(struct payload *payload, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        payload->bytes[payload->length++] = (uint8_t)(value >> (8 * i));
}

static void add_text(struct payload *payload, const char *text)
{
    add_number(payload, strlen(text), 2);
    add(payload, text, strlen(text));
}

static const char *some_path(void)
{
    static const char *const paths[] = {"a", "a/b", "", "..", "a/../b", "/a", "a//b", "a/", ".clawrden/x", "a/.clawrden", "-rf", "a/b/c/d"};
    return paths[below(sizeof paths / sizeof *paths)];
}

static void add_xattrs(struct payload *payload)
{
    size_t at = payload->length;
    add_number(payload, 0, 4);
    for (uint32_t count = below(3), i = 0; i < count; i++) {
        static const char *const names[] = {"user.a", "user.b", "system.posix_acl_access", "security.capability"};
        add_text(payload, names[below(4)]);
        uint32_t length = below(20);
        add_number(payload, length, 4);
        add(payload, "01234567890123456789", length);
    }
    put_u32(payload->bytes + at, (uint32_t)(payload->length - at - 4));
}

static void make_entry(struct payload *payload)
{
    uint8_t blocks[4 * SHA256_BYTES] = {0}, id[SHA256_BYTES];
    uint32_t count = below(3) == 0 ? 2 + below(3) : 0;
    bytes_id(blocks, (size_t)count * SHA256_BYTES, id);
    add_number(payload, count ? 1 : 1 + below(4), 1);
    add_number(payload, below(4), 1);
    add_number(payload, count ? 1 : 1 + below(3), 1);
    add_number(payload, below(01000), 4);
    add_number(payload, below(10), 4);
    add_number(payload, below(10), 4);
    add_number(payload, below(1000), 8);
    add_number(payload, count ? (uint64_t)count * BLOCK_BYTES - below(1000) : below(2000), 8);
    add_number(payload, 0, 8);
    add(payload, id, sizeof id);
    add_number(payload, below(4), 1);
    add(payload, id, sizeof id);
    add_text(payload, some_path());
    add_text(payload, some_path());
    add_xattrs(payload);
    add_number(payload, count, 4);
    add(payload, blocks, (size_t)count * SHA256_BYTES);
}

static void make_hello(struct payload *payload)
{
    add_number(payload, 1, 1);
    add_number(payload, 1 + below(2), 1);
    add_number(payload, 1000, 4);
    add_number(payload, 1000, 4);
    for (int i = 0; i < 3; i++)
        add_number(payload, below(1000000), 8);
    add_number(payload, below(300), 4);
    add_number(payload, below(1000), 4);
    add_number(payload, below(1000000), 8);
    add_text(payload, "/root");
    add_text(payload, "/area");
    uint32_t count = below(4);
    add_number(payload, count, 2);
    for (uint32_t i = 0; i < count; i++)
        add_text(payload, some_path());
}

static void damage(struct payload *payload)
{
    for (uint32_t times = below(4); times > 0; times--)
        payload->bytes[below((uint32_t)payload->length)] = (uint8_t)below(256);
    if (below(4) == 0)
        payload->length = below((uint32_t)payload->length + 1);
}

static bool stays_inside(const char *path)
{
    char framed[PATH_MOST + 3];
    snprintf(framed, sizeof framed, "/%s/", path);
    return path[0] == 0 || (!strstr(framed, "/../") && !strstr(framed, "/./") && !strstr(framed, "//"));
}

static bool try_entry(const struct payload *payload)
{
    static struct change change;
    static struct carrier carrier;
    /* Of just the length, so that one byte too many is seen. */
    uint8_t *exact = malloc(payload->length + 1);
    memcpy(exact, payload->bytes, payload->length);
    bool read = change_read(&change, exact, payload->length);
    if (read) {
        expect(strlen(change.path) <= PATH_MOST && strlen(change.target) <= PATH_MOST, "a long path");
        expect(change.block_count == 0 || change.block_count == block_count(change.wanted.size), "other blocks");
        expect(change.blocks == NULL || change.blocks + (size_t)change.block_count * SHA256_BYTES <= exact + payload->length, "blocks outside");
        expect((change.wanted.mode & ~03777u) == 0, "a mode that is never carried");
        carrier.limits.depth = 10;
        bool carried = path_carried(&carrier, change.path);
        expect(!carried || stays_inside(change.path), "a path that leads out");
    }
    free(exact);
    return read;
}

static bool try_hello(const struct payload *payload)
{
    static struct limits limits;
    bool read = limits_read(&limits, payload->bytes, payload->length) == NULL;
    for (uint32_t i = 0; i < limits.excluded; i++)
        free(limits.excludes[i]);
    expect(!read || (limits.root[0] == '/' && limits.depth <= DEPTH_MOST), "limits out of bounds");
    return read;
}

static struct entry *some_folder(struct index *index)
{
    struct entry *folder = index->root;
    for (uint32_t steps = below(4); steps > 0; steps--)
        for (struct entry *child = entry_child(folder); child; child = entry_next(child))
            if (child->type == TYPE_FOLDER && below(2) == 0) {
                folder = child;
                break;
            }
    return folder;
}

static void change_something(struct index *index)
{
    static const char *const names[] = {"a", "b", "c", "ab", "a-name-of-forty-bytes-that-is-not-so-short", "a-name-of-more-than-a-hundred-bytes-which-is-given-back-and-taken-again-in-parts-by-names-that-are-shorter"};
    struct entry *folder = some_folder(index);
    const char *name = names[below(6)];
    struct entry *entry = index_add(index, folder, name, strlen(name));
    if (below(4) == 0) {
        index_gone(index, entry);
        if (below(2) == 0)
            index_forget(index, entry);
        return;
    }
    uint8_t type = (uint8_t)(1 + below(3));
    if (entry_alive(entry) && (type == TYPE_FOLDER) != (entry->type == TYPE_FOLDER))
        index_gone(index, entry);
    struct record record = {.type = type, .mode = 0600, .size = type == TYPE_FOLDER ? 0 : below(100), .mtime = below(5)};
    uint64_t inode = 1 + below(5);
    /* As a look does: the same file is another name of what it was. */
    if (type == TYPE_FILE && entry->type == TYPE_FILE && entry_inode(entry) == inode)
        record.link = entry_link(entry);
    record.xattrs[0] = (uint8_t)below(3);
    index_set(index, entry, &record);
    index_facts(index, entry, inode, below(100));
    index_blocks(index, entry, type == TYPE_FILE && below(3) == 0 ? calloc(2, SHA256_BYTES) : NULL);
    expect(entry_is(entry, &record) && entry_inode(entry) == inode, "not what was set");
}

struct counted {
    uint64_t entries, bytes;
};

/* The living of one index, put into another in another order. */
static void rebuild(struct index *to, struct entry *folder, const struct entry *from, struct counted *counted)
{
    const struct entry *child = entry_child(from);
    while (child && child->next)
        child = entry_next(child);
    for (; child; child = way_end(child, child->before)) {
        expect(child->below <= from->below, "a folder that is older than what is in it");
        if (!entry_alive(child))
            continue;
        expect(from->type == TYPE_FOLDER, "something lives in what is no folder");
        counted->entries++;
        counted->bytes += entry_size(child);
        struct entry *copy = index_add(to, folder, child->name, child->length);
        struct record record = entry_now(child);
        record.link = 0;
        memset(record.id, 0, sizeof record.id);
        index_set(to, copy, &record);
        if (record.type == TYPE_FILE)
            index_facts(to, copy, entry_inode(child), 0);
        rebuild(to, copy, child, counted);
    }
}

static void check_against_new(struct index *index)
{
    struct index other;
    struct counted counted = {1, 0};
    uint8_t id[SHA256_BYTES], other_id[SHA256_BYTES];
    links_mend(index);
    expect(index_begin(&other, false) && tree_refresh(index), "no memory");
    struct record root = entry_now(index->root);
    index_set(&other, other.root, &root);
    rebuild(&other, other.root, index->root, &counted);
    links_mend(&other);
    other.root->flags |= ENTRY_STALE;
    expect(tree_refresh(&other), "no memory");
    tree_id(index, id);
    tree_id(&other, other_id);
    expect(memcmp(id, other_id, sizeof id) == 0, "another tree");
    expect(index->entries == counted.entries && index->bytes == counted.bytes, "another count");
    index_end(&other);
}

static void try_history(void)
{
    struct index index;
    struct record root = {.type = TYPE_FOLDER, .mode = 0755};
    expect(index_begin(&index, below(2) == 0), "no memory");
    index_set(&index, index.root, &root);
    for (uint32_t rounds = 1 + below(3); rounds > 0; rounds--) {
        for (uint32_t changes = below(12); changes > 0; changes--)
            change_something(&index);
        check_against_new(&index);
        index.seq = index.next++;
    }
    index_end(&index);
}

int main(int argc, char **argv)
{
    static struct payload payload;
    unsigned long entries = 0, hellos = 0;
    if (argc != 3)
        return 2;
    uint64_t from = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (seed = from; seed < from + count; seed++) {
        state = seed * 0x9e3779b97f4a7c15ull + 1;
        payload.length = 0;
        bool entry = below(4) > 0;
        if (entry)
            make_entry(&payload);
        else
            make_hello(&payload);
        if (below(3) > 0)
            damage(&payload);
        entries += entry && try_entry(&payload);
        hellos += !entry && try_hello(&payload);
        if (below(10) == 0)
            try_history();
    }
    printf("%llu inputs: %lu entries, %lu hellos taken\n", (unsigned long long)count, entries, hellos);
    return 0;
}
