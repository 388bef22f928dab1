#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epochs.h"
#include "saved-format.h"
#include "saved-reader.h"
#include "saved-replay.h"
#include "saved.h"

static void read_below(struct loading *loading, struct entry *folder, uint32_t depth);

static struct entry *read_name(struct loading *loading, struct entry *folder)
{
    struct index *index = loading->index;
    loading_need(loading, 1 + NAME_MOST);
    size_t length = read_u8(&loading->reader);
    const uint8_t *name = read_bytes(&loading->reader, length);
    bool root = !folder;
    if (!name || root != (length == 0) || memchr(name, 0, length) || memchr(name, '/', length))
        return NULL;
    struct entry *entry = root ? index->root : index_add(index, folder, (const char *)name, length);
    return entry && entry->seq == 0 && !entry_alive(entry) ? entry : NULL;
}

static void read_entry(struct loading *loading, struct entry *folder, uint8_t flags, uint32_t depth)
{
    struct entry *entry = read_name(loading, folder);
    if (!entry) {
        loading->reader.bad = true;
        return;
    }
    loading_facts(loading, entry, flags);
    read_below(loading, entry, depth + 1);
}

static void read_below(struct loading *loading, struct entry *folder, uint32_t depth)
{
    while (!loading->reader.bad) {
        uint8_t flags = loading_flags(loading);
        if (flags == SAVED_END)
            return;
        if (!(flags & SAVED_ENTRY) || depth > DEPTH_MOST + 1)
            loading->reader.bad = true;
        else
            read_entry(loading, folder, flags, depth);
    }
}

static bool state_is(const struct carrier *carrier, const char *expected)
{
    char state[STATE_MOST] = "";
    int fd = openat(carrier->area, "state", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, state, sizeof state - 1);
    if (fd >= 0)
        close(fd);
    return got > 0 && strcmp(state, expected) == 0;
}

static bool read_index(struct loading *loading, uint8_t checksum[SHA256_BYTES])
{
    loading_need(loading, sizeof SAVED_MAGIC);
    const uint8_t *magic = read_bytes(&loading->reader, sizeof SAVED_MAGIC);
    if (!magic || memcmp(magic, SAVED_MAGIC, sizeof SAVED_MAGIC) != 0)
        return false;
    loading_numbers(loading);
    uint8_t flags = loading_flags(loading);
    if (flags & SAVED_ENTRY)
        read_entry(loading, NULL, flags, 0);
    return loading_holds(loading, checksum);
}

/* 0 if it is no plain file, or is longer than it can be. */
static uint64_t length_of(const struct carrier *carrier, int fd)
{
    struct stat status;
    uint64_t length = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    return length <= carrier->limits.entries * 4096 ? length : 0;
}

static bool load(struct carrier *carrier, int fd, int log)
{
    struct index *index = &carrier->index;
    uint64_t length = length_of(carrier, fd);
    uint8_t checksum[SHA256_BYTES];
    char expected[STATE_MOST];
    if (length < SHA256_BYTES)
        return false;
    /* Read and not mapped: who shortens the file would end the carrier. */
    struct loading loading = {.index = index, .fd = fd, .buffer = carrier->block};
    loading_begin(&loading, 0, length - SHA256_BYTES);
    bool whole = read_index(&loading, checksum);
    loading.fd = log;
    whole = whole && saved_replay(&loading, length_of(carrier, log), checksum);
    if (whole && loading.device == carrier->device && index->root->type == TYPE_FOLDER && !index->failed) {
        index->next = index->seq + 1;
        /* A version that was told and is not on the disk must never be told of something else. */
        state_clean(expected, loading.epoch, index->seq, checksum);
        if (state_is(carrier, expected))
            epochs_take_up(index, loading.epoch, carrier->limits.replica);
        else
            index->former_count = 0;
        return true;
    }
    /* Nothing of it is believed. */
    index_end(index);
    index->failed = !index_begin(index, carrier->limits.replica);
    return false;
}

static int open_saved(const struct carrier *carrier, const char *name)
{
    return openat(carrier->area, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

void saved_load(struct carrier *carrier)
{
    int fd = open_saved(carrier, "index"), log = open_saved(carrier, SAVED_LOG);
    carrier->remembered = load(carrier, fd, log);
    if (fd >= 0)
        close(fd);
    if (log >= 0)
        close(log);
    carrier->on_disk = true;
}
