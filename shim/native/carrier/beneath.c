#include "beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "words.h"

/* Not every C library names it. */
enum { SYS_FCHMODAT2 = 452 };

int beneath_open(int folder, const char *path, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW | (flags & O_PATH ? 0 : O_NOCTTY)),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS,
    };
    int fd;
    /* A rename somewhere in the tree while the kernel walks says EAGAIN. Who renames without end gets that error. */
    for (int tries = 0; tries < 1000; tries++) {
        fd = (int)syscall(SYS_openat2, folder, *path ? path : ".", &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return fd;
}

int beneath_parent(int folder, const char *path, const char **name)
{
    char parent[PATH_MOST + 1];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    *name = slash ? slash + 1 : path;
    if (length > PATH_MOST || **name == 0) {
        errno = EINVAL;
        return -1;
    }
    memcpy(parent, path, length);
    parent[length] = 0;
    return beneath_open(folder, parent, O_PATH | O_DIRECTORY);
}

int beneath_mode(int folder, const char *name, mode_t mode, bool follows)
{
    int failed = (int)syscall(SYS_FCHMODAT2, folder, name, mode, AT_SYMLINK_NOFOLLOW);
    /* Linux has it from 6.6 on; a C library asks /proc instead, which is not in a jail. */
    return failed && follows ? fchmodat(folder, name, mode, 0) : failed;
}

uint64_t beneath_inode(int folder, const char *name)
{
    struct stat status;
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_ino : 0;
}

int beneath_rename(int from, const char *name, int to, const char *new_name, unsigned how)
{
    return (int)syscall(SYS_renameat2, from, name, to, new_name, how);
}
