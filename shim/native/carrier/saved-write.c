#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "saved-format.h"
#include "saved-writer.h"
#include "saved.h"

/* A log of this size, or of half the index, is written together with it. */
enum { LOG_LEAST = 256 * 1024 };

/* An index of more entries is written whole when nothing is asked, not behind an answer. */
enum { WHOLE_AT_ONCE_MOST = 50 * 1000 };

static struct writer writer;

static void saved_now(struct entry *entry)
{
    entry->flags &= (uint16_t)~(ENTRY_UNSAVED | ENTRY_UNSAVED_BELOW);
}

static void add_all(struct entry *entry)
{
    uint8_t head[2] = {writer_flags(entry), entry->length}, end = SAVED_END;
    writer_add(&writer, head, sizeof head);
    writer_add(&writer, entry->name, entry->length);
    writer_facts(&writer, entry);
    saved_now(entry);
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        add_all(child);
    writer_add(&writer, &end, 1);
}

/* Where the agent can put a FIFO in its place, nobody waits for a reader. */
static int open_area_file(const struct carrier *carrier, const char *name, int flags)
{
    return openat(carrier->area, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
}

static bool write_whole(struct carrier *carrier)
{
    struct saved *saved = &carrier->saved;
    int fd = open_area_file(carrier, "index.new", O_TRUNC);
    if (fd < 0)
        return false;
    writer_begin(&writer, fd, 0);
    writer_add(&writer, SAVED_MAGIC, sizeof SAVED_MAGIC);
    writer_numbers(&writer, carrier);
    add_all(carrier->index.root);
    bool done = writer_end(&writer, saved->chain);
    close(fd);
    done = done && renameat(carrier->area, "index.new", carrier->area, "index") == 0;
    /* An earlier log belongs to the index before: its chain says so. */
    saved->whole_bytes = writer.at;
    saved->log_bytes = 0;
    index_log(&carrier->index, done);
    return done;
}

static void add_changed(struct entry *entry)
{
    char path[PATH_MOST + 1];
    if (entry->flags & ENTRY_UNSAVED && entry_path(entry, path)) {
        uint8_t flags = writer_flags(entry);
        writer_add(&writer, &flags, 1);
        writer_path(&writer, path);
        writer_facts(&writer, entry);
    }
    bool below = entry->flags & ENTRY_UNSAVED_BELOW;
    saved_now(entry);
    for (struct entry *child = below ? entry_child(entry) : NULL; child; child = entry_next(child))
        if (child->flags & (ENTRY_UNSAVED | ENTRY_UNSAVED_BELOW))
            add_changed(child);
}

static void add_forgotten(const struct forgotten *forgotten)
{
    uint8_t flags = SAVED_FORGOTTEN;
    for (const char *path = forgotten->paths; path < forgotten->paths + forgotten->length; path += strlen(path) + 1) {
        writer_add(&writer, &flags, 1);
        writer_path(&writer, path);
    }
}

/* A part: its length, which is set last; what it says; and a checksum of that and of the checksum before. */
static bool write_part(struct carrier *carrier)
{
    struct saved *saved = &carrier->saved;
    uint8_t length[8] = {0}, end = SAVED_END;
    int fd = open_area_file(carrier, SAVED_LOG, saved->log_bytes == 0 ? O_TRUNC : 0);
    if (fd < 0)
        return false;
    uint64_t from = saved->log_bytes + sizeof length;
    bool done = pwrite(fd, length, sizeof length, (off_t)saved->log_bytes) == sizeof length;
    writer_begin(&writer, fd, from);
    sha256_add(&writer.hash, saved->chain, SHA256_BYTES);
    writer_numbers(&writer, carrier);
    add_forgotten(&carrier->index.forgotten);
    add_changed(carrier->index.root);
    writer_add(&writer, &end, 1);
    done = writer_end(&writer, saved->chain) && done;
    put_u64(length, writer.at - from - SHA256_BYTES);
    done = done && pwrite(fd, length, sizeof length, (off_t)saved->log_bytes) == sizeof length;
    close(fd);
    saved->log_bytes = writer.at;
    index_log(&carrier->index, done);
    return done;
}

static bool is_long(const struct saved *saved)
{
    return saved->log_bytes > LOG_LEAST && saved->log_bytes > saved->whole_bytes / 2;
}

static bool write_state(struct carrier *carrier, const char *state)
{
    int fd = open_area_file(carrier, "state.new", O_TRUNC);
    bool done = fd >= 0 && write(fd, state, strlen(state)) == (ssize_t)strlen(state);
    if (fd >= 0)
        close(fd);
    return done && renameat(carrier->area, "state.new", carrier->area, "state") == 0;
}

void saved_open(struct carrier *carrier)
{
    if (carrier->on_disk)
        write_state(carrier, "open\n");
    carrier->on_disk = false;
}

static void save(struct carrier *carrier, bool whole)
{
    char state[STATE_MOST];
    carrier->unsaved = false;
    bool done = whole ? write_whole(carrier) : write_part(carrier);
    state_clean(state, carrier->index.epoch, carrier->index.seq, carrier->saved.chain);
    carrier->on_disk = done && write_state(carrier, state);
}

void saved_write(struct carrier *carrier)
{
    if (carrier->unsaved && !carrier->index.failed)
        save(carrier, !carrier->index.logs || is_long(&carrier->saved));
}

void saved_write_behind(struct carrier *carrier)
{
    bool whole = !carrier->index.logs || is_long(&carrier->saved);
    if (!whole || carrier->index.held <= WHOLE_AT_ONCE_MOST)
        saved_write(carrier);
}
