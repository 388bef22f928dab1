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

static void miss(const struct index *index, struct entry *entry, bool missed)
{
    bool told = entry_alive(entry) && (entry->seq < index->next || !(entry->flags & ENTRY_NEW));
    uint32_t others = entry->flags & ~(uint32_t)ENTRY_MISSED;
    if (missed ? told : entry->flags & ENTRY_MISSED) {
        entry->flags = (uint16_t)(others | (missed ? ENTRY_MISSED : 0));
        entry_unsaved(entry);
    }
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        miss(index, child, missed);
}

void replaced(struct carrier *carrier, struct entry *entry, bool by_folder)
{
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        miss(&carrier->index, child, by_folder);
    if (entry_alive(entry))
        lose(carrier, entry);
}

void leave_out(struct carrier *carrier, struct entry *entry, enum skip skip)
{
    if (skip != SKIP_UNREADABLE || entry_alive(entry))
        miss(&carrier->index, entry, skip == SKIP_UNREADABLE);
    if (entry_alive(entry))
        lose(carrier, entry);
    skip_set(&carrier->index, entry, skip);
}

enum skip folder_unread(struct carrier *carrier)
{
    switch (errno) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case EACCES:
        return SKIP_NOT;
    case EXDEV:
        return SKIP_OTHER_DEVICE;
    default:
        carrier->index.failed |= errno == EMFILE || errno == ENFILE || errno == ENOMEM;
        return SKIP_UNREADABLE;
    }
}

/* Nobody knows what is in it: it is not empty. */
static void not_read(struct carrier *carrier, struct entry *folder)
{
    if (folder_unread(carrier) != SKIP_UNREADABLE)
        return;
    if (entry_parent(folder))
        leave_out(carrier, folder, SKIP_UNREADABLE);
    else
        carrier->index.failed = true;
}

void scan_inside(struct carrier *carrier, int fd, struct entry *entry)
{
    struct stat status;
    int inside = beneath_open(fd, entry->name, O_RDONLY | O_DIRECTORY);
    bool known = inside >= 0 && fstat(inside, &status) == 0;
    if (!known)
        not_read(carrier, entry);
    /* Another folder by now: the change was reported, and the name is looked at again. */
    if (known && status.st_ino == entry_inode(entry) && status.st_dev == carrier->device)
        scan(carrier, entry, inside);
    else if (inside >= 0)
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
        if (!(child->flags & ENTRY_SEEN) && (entry_alive(child) || child->skip != SKIP_NOT || child->flags & ENTRY_MISSED))
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
        not_read(carrier, folder);
        close(fd);
        return;
    }
    struct dirent *name;
    do {
        errno = 0;
        name = readdir(names);
    } while (name && found(carrier, folder, fd, name->d_name));
    if (!name && errno != 0)
        not_read(carrier, folder);
    lose_unseen(carrier, folder);
    closedir(names);
}
