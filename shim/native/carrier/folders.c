#include "folders.h"

#include <fcntl.h>
#include <unistd.h>

#include "beneath.h"

int folder_of(struct carrier *carrier, const struct entry *entry, struct open_folder *open_folder)
{
    char path[PATH_MOST + 1];
    if (open_folder->entry == entry->parent && open_folder->fd >= 0)
        return open_folder->fd;
    folder_close(open_folder);
    open_folder->entry = entry->parent;
    open_folder->fd = entry_path(entry->parent, path) ? beneath_open(carrier->root, path, O_PATH | O_DIRECTORY) : -1;
    return open_folder->fd;
}

void folder_close(struct open_folder *open_folder)
{
    if (open_folder->fd >= 0)
        close(open_folder->fd);
    *open_folder = (struct open_folder){NULL, -1};
}
