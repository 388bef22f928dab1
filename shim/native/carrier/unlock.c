#include "unlock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "exchange.h"
#include "goes-on.h"

enum { OWNERS = 0700 };

typedef void change_mode(int fd, const struct stat *status, const struct entry *folder);

static void unlock(int fd, const struct stat *status, const struct entry *folder)
{
    (void)folder;
    fchmod(fd, (status->st_mode & 07777) | OWNERS);
}

/* Another mode by now is somebody else's. */
static void lock(int fd, const struct stat *status, const struct entry *folder)
{
    if ((status->st_mode & 07777) == (entry_mode(folder) | OWNERS))
        fchmod(fd, entry_mode(folder));
}

static void with_locked(struct carrier *carrier, const char *path, change_mode *change)
{
    const struct entry *entry = living(carrier, path);
    struct stat status;
    if (!entry || entry->type != TYPE_FOLDER || (entry_mode(entry) & OWNERS) == OWNERS)
        return;
    int fd = beneath_open(carrier->root, path, O_RDONLY | O_DIRECTORY);
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == entry_inode(entry))
        change(fd, &status, entry);
    if (fd >= 0)
        close(fd);
}

/* The folder that an entry is in; and a folder that goes elsewhere, with its `..`, is written in, too. */
static void with_all_locked(struct carrier *carrier, change_mode *change)
{
    char parent[PATH_MOST + 1];
    /* A replica may write everywhere, and so may an agent that is root. */
    if (carrier->limits.replica || carrier->limits.uid == 0)
        return;
    for (uint32_t number = 0; number < carrier->receiving->count; number++) {
        const struct op *op = &carrier->receiving->ops[number];
        goes_on(carrier);
        if (op->verdict == DO_NOTHING || op->path[0] == 0)
            continue;
        const char *slash = strrchr(op->path, '/');
        size_t length = slash ? (size_t)(slash - op->path) : 0;
        memcpy(parent, op->path, length);
        parent[length] = 0;
        with_locked(carrier, parent, change);
        with_locked(carrier, op->path, change);
    }
}

void unlock_folders(struct carrier *carrier)
{
    with_all_locked(carrier, unlock);
}

void lock_folders(struct carrier *carrier)
{
    with_all_locked(carrier, lock);
}
