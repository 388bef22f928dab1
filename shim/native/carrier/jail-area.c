#include "jail-area.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "area-aside.h"
#include "beneath.h"
#include "real-path.h"

enum { HANDLE_MOST = 128 };

static const char *const apart = "area-apart: the kernel does not let the carrier's folder be part of the workspace's "
                                 "mount (another or a read-only file system, or no file handles): put it into the workspace";

/* What of `path` is behind the folder and its slash; NULL if it is not in it. */
static const char *rest_behind(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

static bool empty(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    int count = 0;
    if (!names)
        return false;
    while (count <= 2 && readdir(names))
        count++;
    closedir(names);
    return count <= 2;
}

/* The agent's own, which nobody else reads. One of root's is given to it only while nothing is in it: else a user who
 * may rename in the folder around it could have any folder of root's given to the agent. */
static const char *give(int area, const struct limits *limits)
{
    struct stat status;
    if (fstat(area, &status) != 0 || (status.st_mode & 077) != 0)
        return "carrier-failed: others than the agent may enter the carrier's folder: its mode must be 0700";
    if (status.st_uid == limits->uid)
        return NULL;
    if (status.st_uid != 0 || !empty(area))
        return "carrier-failed: the carrier's folder is not the agent's";
    return fchownat(area, "", limits->uid, limits->gid, AT_EMPTY_PATH) == 0
        ? NULL
        : "carrier-failed: the carrier's folder cannot be given to the agent";
}

/* The folder that holds the area, and the area's name in it. In the workspace it is looked for in the new mount. */
static int parent_of(int tree, const struct limits *limits, const char **name)
{
    const char *rest = rest_behind(limits->root, limits->area);
    if (rest)
        return beneath_parent(tree, rest, name);
    char parent[PATH_MOST + 1];
    const char *slash = strrchr(limits->area, '/');
    size_t length = (size_t)(slash - limits->area);
    memcpy(parent, limits->area, length);
    parent[length] = 0;
    *name = slash + 1;
    return real_path(length > 0 ? parent : "/");
}

static int open_made(int parent, const char *name, uint32_t uid)
{
    if (!*name || strcmp(name, ".") == 0)
        return -1;
    aside_change(parent, name, uid);
    if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
        return -1;
    return beneath_open(parent, name, O_PATH | O_DIRECTORY);
}

/* The same folder as part of the mount `tree`, which need not hold it: only so a rename works between both, and `..`
 * leads nowhere. */
static int on_mount(int tree, int area)
{
    union {
        struct file_handle handle;
        char room[sizeof(struct file_handle) + HANDLE_MOST];
    } known = {.handle.handle_bytes = HANDLE_MOST};
    int mount_id, here = openat(tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (here < 0)
        return -1;
    int fd = name_to_handle_at(area, "", &known.handle, &mount_id, AT_EMPTY_PATH) != 0
        ? -1
        : open_by_handle_at(here, &known.handle, O_PATH | O_DIRECTORY | O_CLOEXEC);
    close(here);
    return fd;
}

static bool alike(int one, int other, bool inode)
{
    struct stat a, b;
    return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev && (!inode || a.st_ino == b.st_ino);
}

static const char *take(int *area, int tree, int found, const struct limits *limits)
{
    const char *why = alike(tree, found, false) ? give(found, limits) : apart;
    if (why)
        return why;
    *area = rest_behind(limits->root, limits->area) ? dup(found) : on_mount(tree, found);
    return *area >= 0 && alike(*area, found, true) ? NULL : apart;
}

static const char *unmade(int parent)
{
    return parent >= 0 && errno == EROFS ? apart
                                         : "carrier-failed: the carrier's folder cannot be made, or a link is in its place";
}

const char *jail_area(int *area, int tree, const struct limits *limits)
{
    const char *name;
    if (strcmp(limits->root, limits->area) == 0 || rest_behind(limits->area, limits->root))
        return "bad-hello: the carrier's folder must not hold the workspace";
    int parent = parent_of(tree, limits, &name);
    int found = parent < 0 ? -1 : open_made(parent, name, limits->uid);
    const char *why = found < 0 ? unmade(parent) : take(area, tree, found, limits);
    /* One that was made for nothing goes again: this takes only an empty one. */
    if (why == apart)
        unlinkat(parent, name, AT_REMOVEDIR);
    if (parent >= 0)
        close(parent);
    if (found >= 0)
        close(found);
    return why;
}
