#include "folders.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "beneath.h"

/* The folder that the index means, wherever it is now; -1 if its path leads to another. */
static int open_meant(struct carrier *carrier, const struct entry *folder)
{
    char path[PATH_MOST + 1];
    struct stat status;
    errno = ENOENT;
    int fd = entry_path(folder, path) ? beneath_open(carrier->root, path, O_PATH | O_DIRECTORY) : -1;
    if (fd < 0 || (fstat(fd, &status) == 0 && status.st_ino == entry_inode(folder)))
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

int folder_of(struct carrier *carrier, const struct entry *entry, struct open_folder *open_folder)
{
    if (open_folder->entry == entry_parent(entry) && open_folder->fd >= 0)
        return open_folder->fd;
    folder_close(open_folder);
    open_folder->entry = entry_parent(entry);
    open_folder->fd = open_meant(carrier, entry_parent(entry));
    return open_folder->fd;
}

void folder_close(struct open_folder *open_folder)
{
    if (open_folder->fd >= 0)
        close(open_folder->fd);
    *open_folder = (struct open_folder){NULL, -1};
}
