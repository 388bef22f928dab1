#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "content.h"
#include "look.h"
#include "notify.h"
#include "skip.h"

void lose(struct carrier *carrier, struct entry *entry)
{
    notify_leave(carrier, entry);
    index_gone(&carrier->index, entry);
}

void scan_inside(struct carrier *carrier, int fd, struct entry *entry)
{
    struct stat status;
    int inside = beneath_open(fd, entry->name, O_RDONLY | O_DIRECTORY);
    if (inside < 0) {
        /* What cannot be opened for want of descriptors is not empty. */
        carrier->index.failed |= errno == EMFILE || errno == ENFILE || errno == ENOMEM;
        return;
    }
    /* Another folder by now: the change was reported, and the name is looked at again. */
    if (fstat(inside, &status) == 0 && status.st_ino == entry_inode(entry) && status.st_dev == carrier->device)
        scan(carrier, entry, inside);
    else
        close(inside);
}

static bool found(struct carrier *carrier, struct entry *folder, int fd, const char *name)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return true;
    struct entry *entry = index_add(&carrier->index, folder, name, strlen(name));
    if (!entry)
        return false;
    entry->flags |= ENTRY_SEEN;
    look(carrier, fd, entry);
    if (entry->type == TYPE_FOLDER)
        scan_inside(carrier, fd, entry);
    skip_bound(carrier, entry);
    return true;
}

/* What was in the index and is not in the folder. */
static void lose_unseen(struct carrier *carrier, struct entry *folder)
{
    for (struct entry *child = entry_child(folder); child; child = entry_next(child))
        if (!(child->flags & ENTRY_SEEN) && (entry_alive(child) || child->skip != SKIP_NOT))
            index_queue(&carrier->index, child);
}

/* Its own record may be from before it was watched. */
static void watch(struct carrier *carrier, struct entry *folder, int fd)
{
    struct stat status;
    notify_watch(carrier, folder, fd);
    if (fstat(fd, &status) == 0 && nanoseconds(&status.st_ctim) != entry_ctime(folder))
        index_queue(&carrier->index, folder);
}

void scan(struct carrier *carrier, struct entry *folder, int fd)
{
    watch(carrier, folder, fd);
    for (struct entry *child = entry_child(folder); child; child = entry_next(child))
        child->flags &= (uint16_t)~ENTRY_SEEN;
    DIR *names = fdopendir(fd);
    if (!names) {
        close(fd);
        return;
    }
    struct dirent *name;
    while ((name = readdir(names)) && found(carrier, folder, fd, name->d_name))
        continue;
    lose_unseen(carrier, folder);
    closedir(names);
}
