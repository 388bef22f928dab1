#include "late.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "area.h"
#include "beneath.h"
#include "clocks.h"
#include "kept.h"
#include "late-file.h"
#include "stage.h"

enum {
    LATE_MOST = 1024,
    LATE_MS = 60 * 1000,
    /* In one look: a process may have all of them open. */
    LOOK_READS_MOST = 256 * 1024 * 1024,
};

static void file_free(struct late_file *file)
{
    free(file->path);
    free(file);
}

static void append(struct late *late, struct late_file *file)
{
    struct late_file **end = late->first ? &late->last->next : &late->first;
    file->next = NULL;
    *end = late->last = file;
    late->count++;
}

/* Out of the stage into the grave. */
static bool bury(struct carrier *carrier, const struct late_file *file, const char *staged, struct stat *status)
{
    struct receiving *receiving = carrier->receiving;
    char number[24];
    const char *name;
    int folder = way_to(&receiving->staged, receiving->stage, staged, &name);
    if (folder < 0 || fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW) != 0 || status->st_ino != file->inode)
        return false;
    return S_ISREG(status->st_mode)
        && beneath_rename(folder, name, carrier->late.grave, late_name(file, number), RENAME_NEW) == 0
        && fstatat(carrier->late.grave, number, status, AT_SYMLINK_NOFOLLOW) == 0;
}

static void remember_file(struct carrier *carrier, const struct entry *entry, const char *path, const char *staged)
{
    struct stat status;
    struct late_file *file = calloc(1, sizeof *file);
    if (!file)
        return;
    *file = (struct late_file){.number = carrier->late.buried++, .inode = entry_inode(entry), .size = entry_size(entry)};
    file->path = strdup(path);
    if (!file->path || !bury(carrier, file, staged, &status)) {
        file_free(file);
        return;
    }
    late_is_now(file, &status, entry_mtime(entry));
    file->named = status.st_nlink > 1;
    file->buried = monotonic_ms();
    memcpy(file->id, entry_id(entry), SHA256_BYTES);
    append(&carrier->late, file);
    carrier->late.fresh++;
}

/* `staged` is where the entry at `top` bytes of its path is in the stage. */
static void remember_below(struct carrier *carrier, const struct entry *entry, const char *staged, size_t top)
{
    static char inside[2 * PATH_MOST];
    char path[PATH_MOST + 1];
    if (!entry_alive(entry) || carrier->late.fresh >= LATE_MOST || !entry_path(entry, path))
        return;
    snprintf(inside, sizeof inside, "%s%s", staged, path + top);
    if (entry->type == TYPE_FILE && !(entry->flags & ENTRY_UNREADABLE))
        remember_file(carrier, entry, path, inside);
    for (const struct entry *child = entry_child(entry); child; child = entry_next(child))
        remember_below(carrier, child, staged, top);
}

/* Not before all names that this commit took out are there. */
static void find_named(struct late *late, uint64_t before)
{
    struct stat status;
    char name[24];
    for (struct late_file *file = late->first; file; file = file->next)
        if (file->named && file->number >= before)
            file->named = fstatat(late->grave, late_name(file, name), &status, AT_SYMLINK_NOFOLLOW) == 0
                && late_named(late, &status);
}

void late_remember(struct carrier *carrier)
{
    static char staged[PATH_MOST + 16];
    struct receiving *receiving = carrier->receiving;
    uint64_t before = carrier->late.buried;
    carrier->late.fresh = 0;
    if (carrier->late.grave < 0)
        carrier->late.grave = area_made(carrier->area, "grave");
    for (uint32_t number = 0; number < receiving->count; number++) {
        const struct op *op = &receiving->ops[number];
        const struct entry *entry = op->out == OUT_NOT ? NULL : living(carrier, op->path);
        if (!entry)
            continue;
        if (op->out == OUT_SWAPPED)
            stage_path(carrier, op, staged);
        else
            snprintf(staged, sizeof staged, "%c%u", op->out == OUT_GRAVE ? 'g' : 'e', number);
        remember_below(carrier, entry, staged, strlen(op->path));
    }
    find_named(&carrier->late, before);
}

static struct late_file *first_out(struct late *late)
{
    struct late_file *file = late->first;
    late->first = file->next;
    late->count--;
    return file;
}

static void forget(struct late *late, struct late_file *file)
{
    char name[24];
    unlinkat(late->grave, late_name(file, name), 0);
    file_free(file);
}

/* Those of this time or before; what was written and is not kept yet waits once more. */
static void forget_until(struct late *late, int64_t until)
{
    for (uint32_t left = late->count; left > 0 && late->first->buried <= until; left--) {
        struct late_file *file = first_out(late);
        file->buried = monotonic_ms();
        if (file->written)
            append(late, file);
        else
            forget(late, file);
    }
}

void late_bound(struct carrier *carrier)
{
    struct late *late = &carrier->late;
    if (late->count > LATE_MOST)
        late_look(carrier);
    while (late->count > LATE_MOST) {
        struct late_file *file = first_out(late);
        /* It is lost, and told without a place. */
        late->found_count += file->written;
        forget(late, file);
    }
}

static bool keep(struct carrier *carrier, struct late_file *file, int kept, uint64_t folder, uint32_t number)
{
    char name[16], from[24];
    struct late_found *found = calloc(1, sizeof *found);
    snprintf(name, sizeof name, "%u", number);
    if (!found || beneath_rename(carrier->late.grave, late_name(file, from), kept, name, RENAME_NEW) != 0) {
        free(found);
        return false;
    }
    *found = (struct late_found){carrier->late.found, folder, number, strdup(file->path)};
    carrier->late.found = found;
    carrier->late.found_count++;
    file->written = false;
    return true;
}

static void look_at_all(struct carrier *carrier)
{
    int kept = -1;
    uint64_t folder = 0;
    uint32_t number = 0;
    carrier->late.may_read = LOOK_READS_MOST;
    for (struct late_file *file = carrier->late.first; file; file = file->next) {
        file->written = late_written(carrier, file);
        if (file->written && kept < 0)
            kept = kept_open(carrier, &folder);
        if (file->written && kept >= 0)
            number += keep(carrier, file, kept, folder, number);
    }
    if (kept < 0)
        return;
    close(kept);
    if (number == 0)
        kept_remove(carrier, folder);
    kept_bound(carrier);
}

void late_look(struct carrier *carrier)
{
    look_at_all(carrier);
    forget_until(&carrier->late, monotonic_ms() - LATE_MS);
}

void late_end(struct carrier *carrier)
{
    /* If there is no room to keep what was written, what was not makes some. */
    for (int times = 0; times < 2 && carrier->late.first; times++) {
        look_at_all(carrier);
        forget_until(&carrier->late, INT64_MAX);
    }
}

int late_wait_ms(const struct carrier *carrier)
{
    if (!carrier->late.first)
        return -1;
    int64_t left = carrier->late.first->buried + LATE_MS - monotonic_ms();
    return left < 0 ? 0 : (int)left;
}

void late_tell(struct carrier *carrier)
{
    uint16_t told = 0;
    stream_put_u32(&carrier->stream, carrier->late.found_count);
    uint8_t *count = stream_hole(&carrier->stream, 2);
    size_t most = carrier->stream.out_end + PATHS_TOLD_BYTES;
    for (struct late_found *found = carrier->late.found, *next; found; found = next) {
        next = found->next;
        if (told < PATHS_TOLD && found->path && carrier->stream.out_end < most) {
            stream_put_u64(&carrier->stream, found->folder);
            stream_put_u32(&carrier->stream, found->number);
            stream_put_text(&carrier->stream, found->path);
            told++;
        }
        free(found->path);
        free(found);
    }
    if (count)
        put_u16(count, told);
    carrier->late.found = NULL;
    carrier->late.found_count = 0;
}
