#include "file-system.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xF2F52010
#endif

static bool keeps_leases(unsigned long type)
{
    return type == EXT4_SUPER_MAGIC || type == XFS_SUPER_MAGIC || type == BTRFS_SUPER_MAGIC
        || type == F2FS_SUPER_MAGIC || type == TMPFS_MAGIC;
}

static unsigned long type_of(int fd)
{
    struct statfs system;
    return fstatfs(fd, &system) == 0 ? (unsigned long)system.f_type & 0xffffffff : 0;
}

bool file_system_leases(int fd)
{
    return keeps_leases(type_of(fd));
}

bool file_system_tells(int fd)
{
    unsigned long type = type_of(fd);
    return keeps_leases(type) || type == OVERLAYFS_SUPER_MAGIC;
}

bool folder_folds_case(const char *path)
{
    int flags = 0;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool folds = fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && flags & FS_CASEFOLD_FL;
    if (fd >= 0)
        close(fd);
    return folds;
}

bool owned_by_root_alone(const struct stat *status)
{
    return geteuid() != 0 && status->st_uid == 0 && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}
