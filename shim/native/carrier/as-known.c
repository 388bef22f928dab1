#include "as-known.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "content.h"
#include "exchange.h"
#include "goes-on.h"

/* Of what is larger only size and mtime are compared. */
enum { READ_AGAIN_MOST = 64 * 1024 * 1024 };

static bool same_bytes(struct carrier *carrier, const struct entry *entry, int folder, const char *name)
{
    struct stat status;
    struct content content = {.blocks = NULL};
    int fd = beneath_open(folder, name, O_RDONLY | O_NONBLOCK);
    bool same = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
        && (uint64_t)status.st_size == entry_size(entry)
        && content_read(fd, &status, carrier->block, &carrier->meanwhile, &content) == CONTENT_WHOLE
        && memcmp(content.id, entry_id(entry), SHA256_BYTES) == 0;
    free(content.blocks);
    if (fd >= 0)
        close(fd);
    return same;
}

static bool folder_as_known(struct carrier *carrier, const struct entry *entry, int folder, const char *name);

bool as_known(struct carrier *carrier, const struct entry *entry, int folder, const char *name)
{
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (entry_inode(entry) != status.st_ino || entry_mtime(entry) != nanoseconds(&status.st_mtim))
        return false;
    if (entry->type == TYPE_FOLDER)
        return S_ISDIR(status.st_mode) && folder_as_known(carrier, entry, folder, name);
    bool unreadable = entry->flags & ENTRY_UNREADABLE;
    if (!unreadable && (uint64_t)status.st_size != entry_size(entry))
        return false;
    /* Taking it out has moved its ctime, and that of its other names: then the bytes must be looked at. */
    bool touched = entry_ctime(entry) != nanoseconds(&status.st_ctim);
    bool some = entry_size(entry) > 0 && entry_size(entry) <= READ_AGAIN_MOST;
    bool read = touched && S_ISREG(status.st_mode) && !unreadable && some;
    return !read || same_bytes(carrier, entry, folder, name);
}

bool is_special(int folder, const char *name)
{
    struct stat status;
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode)
        && !S_ISDIR(status.st_mode) && !S_ISLNK(status.st_mode);
}

/* It is not carried, and goes with its folder all the same: whatever it is, if the folder goes whatever it has; of a
 * replica what has no bytes. */
static bool goes_along(const struct carrier *carrier, const struct entry *entry, int folder, const char *name)
{
    if (entry && entry->skip != SKIP_NOT && carrier->receiving && carrier->receiving->force)
        return true;
    return carrier->limits.replica && is_special(folder, name);
}

static bool names_as_known(struct carrier *carrier, const struct entry *entry, DIR *names)
{
    struct dirent *found;
    size_t count = 0, known = 0;
    for (const struct entry *child = entry_child(entry); child; child = entry_next(child))
        known += entry_alive(child);
    while ((found = readdir(names))) {
        const char *name = found->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        goes_on(carrier);
        const struct entry *child = index_find(&carrier->index, entry, name, strlen(name));
        bool alive = child && entry_alive(child);
        if (!alive && goes_along(carrier, child, dirfd(names), name))
            continue;
        if (!alive || !as_known(carrier, child, dirfd(names), name))
            return false;
        count++;
    }
    return count == known;
}

static bool folder_as_known(struct carrier *carrier, const struct entry *entry, int folder, const char *name)
{
    int fd = beneath_open(folder, name, O_RDONLY | O_DIRECTORY);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool same = names_as_known(carrier, entry, names);
    closedir(names);
    return same;
}
