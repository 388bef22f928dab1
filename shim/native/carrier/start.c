#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent.h"
#include "area.h"
#include "kept.h"
#include "notify.h"
#include "saved.h"
#include "seccomp.h"
#include "settle.h"
#include "state-frames.h"
#include "unfinished.h"

enum { DESCRIPTORS = 4096, DESCRIPTORS_LEAST = DEPTH_MOST + 64, DATA_LEAST = 192 * 1024 * 1024, DATA_OF_EACH = 1024 };

static const char *raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return "carrier-failed: the limit of open files cannot be read";
    if (limit.rlim_cur < DESCRIPTORS) {
        limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur < DESCRIPTORS_LEAST ? "carrier-failed: too few files may be open" : NULL;
}

/* What is known of a tree and an exchange have room in so much: what a replica's container gives to all of them, and more for
 * more entries, and for the ids of blocks while they are read again. If it is short, that fails: a carrier that is a child
 * of the relay takes the host's memory, which others need. */
static void bound_memory(const struct limits *limits)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit limit;
    rlim_t most = DATA_LEAST + limits->entries * DATA_OF_EACH + limits->bytes / BLOCK_BYTES * (2 * SHA256_BYTES);
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur <= most)
        return;
    limit.rlim_cur = most;
    if (limit.rlim_max > most)
        limit.rlim_max = most;
    setrlimit(RLIMIT_DATA, &limit);
#else
    (void)limits;
#endif
}

/* The folder for what is ours: where it is in the tree it is made, and nobody else reads it. */
static int open_area(const struct limits *limits, const struct jail *jail)
{
    if (jail->closed)
        return openat(jail->area, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (mkdir(limits->area, 0700) != 0 && errno != EEXIST)
        return -1;
    return open(limits->area, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* Two carriers on one tree would take away what the other stages. Only a file system without locks has none. */
static bool taken(int area)
{
    return flock(area, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

static const char *open_tree(struct carrier *carrier)
{
    struct stat root, area;
    /* A replica begins with nothing. */
    bool made = carrier->limits.replica && mkdir(carrier->limits.root, 0755) == 0;
    carrier->root = open(carrier->jail.closed ? "/" : carrier->limits.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (carrier->root < 0)
        return errno == ENOENT ? "workspace-missing: there is no such folder" : "workspace-missing: it cannot be opened";
    carrier->area = open_area(&carrier->limits, &carrier->jail);
    if (carrier->area < 0 && !carrier->limits.replica && (errno == EACCES || errno == EPERM || errno == EROFS))
        return "area-apart: the agent may not make or enter the carrier's folder there: put it into the workspace";
    if (carrier->area < 0 || fstat(carrier->root, &root) != 0 || fstat(carrier->area, &area) != 0)
        return "carrier-failed: the folder for the carrier's own files cannot be opened";
    if (root.st_dev != area.st_dev)
        return "carrier-failed: the workspace and the carrier's folder are not on one file system";
    if (taken(carrier->area))
        return "carrier-failed: another carrier is at work on this workspace";
    /* What is known of a tree that is gone would tell home to delete everything. */
    if (made && unlinkat(carrier->area, "index", 0) != 0 && errno != ENOENT)
        return "carrier-failed: what is known of an earlier tree cannot be removed";
    carrier->device = root.st_dev;
    carrier->root_inode = root.st_ino;
    return NULL;
}

/* At home: shut in with the workspace, and the agent from here on. Files are opened after that. */
static const char *confine(struct carrier *carrier)
{
    if (carrier->limits.replica)
        return NULL;
    const char *why = jail_enter(&carrier->jail, &carrier->limits);
    return why ? why : agent_become(&carrier->limits, carrier->jail.closed);
}

static const char *begin(struct carrier *carrier, const struct frame *hello)
{
    const char *why = limits_read(&carrier->limits, hello->payload, hello->length);
    if (!why)
        why = raise_descriptors();
    if (!why)
        bound_memory(&carrier->limits);
    if (!why)
        notify_begin(carrier);
    if (!why)
        why = confine(carrier);
    if (!why)
        why = open_tree(carrier);
    if (!why && !seccomp_begin())
        why = "carrier-failed: the kernel takes no list of system calls";
    if (!why && !index_begin(&carrier->index, carrier->limits.replica))
        why = "carrier-failed: no memory";
    if (!why)
        why = unfinished_mend(carrier);
    return why;
}

void start(struct carrier *carrier, const struct frame *hello)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0);
    umask(0);
    const char *why = begin(carrier, hello);
    if (!why) {
        area_remove(carrier, "stage");
        /* What was in it is not known any more. */
        area_remove(carrier, "grave");
        carrier->late.grave = area_made(carrier->area, "grave");
        kept_bound(carrier);
        saved_load(carrier);
        carrier->stream.beside = carrier->notify;
        carrier->stream.look_beside = notify_drain;
        carrier->stream.context = carrier;
        settle(carrier, true);
        why = state_wrong(carrier);
    }
    background_begin(carrier);
    if (why)
        tell_refused(carrier, why);
    else
        tell_state(carrier, FRAME_CARRIER_READY);
}
