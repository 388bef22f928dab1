#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jail-area.h"
#include "jail-place.h"
#include "real-path.h"

/* By number, as no C library names them all; they are the same for each architecture. */
enum { SYS_OPEN_TREE = 428, SYS_MOVE_MOUNT = 429, SYS_MOUNT_SETATTR = 442 };
enum { CLONE_TREE = 1, WITH_MOUNTS = 0x8000, FROM_DESCRIPTOR = 4, TO_DESCRIPTOR = 0x40 };

/* What the host mounts below the workspace is still seen, as the agent sees it; what happens here is not seen there. */
static bool own_namespace(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0;
}

/* The workspace as a mount of its own, whose root it is: `..` does not lead out of it. */
static int mount_of(int root)
{
    return (int)syscall(SYS_OPEN_TREE, root, "", CLONE_TREE | O_CLOEXEC | WITH_MOUNTS | AT_EMPTY_PATH);
}

/* Kernels before 5.12 cannot; a process that may neither execute nor make devices does not need it. */
static void no_devices(int tree)
{
    struct {
        uint64_t set, clear, propagation, user;
    } attributes = {.set = MS_NOSUID | MS_NODEV | MS_NOEXEC};
    syscall(SYS_MOUNT_SETATTR, tree, "", AT_EMPTY_PATH | WITH_MOUNTS, &attributes, sizeof attributes);
}

/* The mount becomes `/`, and the old root is taken out of the namespace. */
static bool pivot(int root, int tree)
{
    int old = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool done = old >= 0 && syscall(SYS_MOVE_MOUNT, tree, "", root, "", FROM_DESCRIPTOR | TO_DESCRIPTOR) == 0
        && fchdir(tree) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 && fchdir(old) == 0
        && umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
    if (old >= 0)
        close(old);
    return done;
}

static const char *read_place(struct jail *jail, const char *point)
{
    jail->point = point;
    return place_read(jail->mounts, point, jail->place)
        ? NULL
        : "carrier-failed: /proc does not tell what is mounted, or too much is mounted in the workspace";
}

static const char *close_jail(struct jail *jail, int root, int tree)
{
    int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (!pivot(root, tree))
        return "carrier-failed: the workspace cannot be made the only folder in view";
    jail->closed = true;
    jail->mounts = proc < 0 ? -1 : openat(proc, "self/mountinfo", O_RDONLY | O_CLOEXEC);
    if (proc >= 0)
        close(proc);
    return read_place(jail, "/");
}

static const char *in_container(struct jail *jail, const struct limits *limits)
{
    if (geteuid() == 0 || geteuid() != limits->uid || getegid() != limits->gid)
        return "carrier-failed: in a container it must be the agent from the start";
    jail->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    return read_place(jail, limits->root);
}

static const char *enter(struct jail *jail, const struct limits *limits, int root)
{
    int tree = mount_of(root);
    if (tree < 0)
        return "carrier-failed: the workspace cannot be mounted for itself";
    no_devices(tree);
    const char *why = jail_area(&jail->area, tree, limits);
    if (!why)
        why = close_jail(jail, root, tree);
    close(tree);
    return why;
}

const char *jail_enter(struct jail *jail, const struct limits *limits)
{
    jail->area = jail->mounts = -1;
    if (limits->contained)
        return in_container(jail, limits);
    if (geteuid() != 0)
        return NULL;
    /* The root of a container may not have one. */
    if (!own_namespace())
        return errno == EPERM || errno == EACCES ? NULL : "carrier-failed: it cannot have a mount namespace of its own";
    int root = real_path(limits->root);
    if (root < 0 && errno == ELOOP)
        return "workspace-missing: a symbolic link is on the way to it: name the folder itself";
    if (root < 0)
        return errno == ENOENT ? "workspace-missing: there is no such folder" : "workspace-missing: it cannot be opened";
    const char *why = enter(jail, limits, root);
    close(root);
    return why;
}

bool jail_moved(const struct jail *jail)
{
    uint8_t now[SHA256_BYTES];
    return !place_read(jail->mounts, jail->point, now) || memcmp(now, jail->place, sizeof now) != 0;
}
