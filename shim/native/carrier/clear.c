#include "clear.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "goes-on.h"
#include "state-frames.h"

enum below { IS_EMPTY, WENT_IN, STAYS };

/* No link is followed: what is no folder was removed before. */
static int folder_at(int folder, const char *name)
{
    return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool go_to(int fd)
{
    bool there = fd >= 0 && fchdir(fd) == 0;
    if (fd >= 0)
        close(fd);
    return there;
}

static bool go_in(int folder, const char *name)
{
    fchmodat(folder, name, 0700, 0);
    return go_to(folder_at(folder, name));
}

static enum below remove_one(int folder, const char *name)
{
    if (unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0)
        return IS_EMPTY;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return STAYS;
    return go_in(folder, name) ? WENT_IN : STAYS;
}

/* Of the folder in which we are. */
static enum below remove_all(struct carrier *carrier)
{
    int fd = folder_at(AT_FDCWD, ".");
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names) {
        if (fd >= 0)
            close(fd);
        return STAYS;
    }
    enum below found = IS_EMPTY;
    for (struct dirent *name; found == IS_EMPTY && (name = readdir(names));) {
        goes_on(carrier);
        if (strcmp(name->d_name, ".") != 0 && strcmp(name->d_name, "..") != 0)
            found = remove_one(dirfd(names), name->d_name);
    }
    closedir(names);
    return found;
}

static bool clear_tree(struct carrier *carrier)
{
    enum below found = fchdir(carrier->root) == 0 ? WENT_IN : STAYS;
    for (uint64_t depth = 1; depth > 0 && found != STAYS;) {
        found = remove_all(carrier);
        if (found == WENT_IN)
            depth++;
        else if (--depth > 0 && !go_to(folder_at(AT_FDCWD, "..")))
            found = STAYS;
    }
    return found != STAYS;
}

void serve_clear(struct carrier *carrier, struct reader *reader)
{
    if (!read_all(reader) || !carrier->limits.replica || carrier->receiving) {
        tell_refused(carrier, "bad-frame: clear");
        return;
    }
    /* What is known of a tree that is gone, or half gone, would tell home to delete the rest. */
    bool forgotten = unlinkat(carrier->area, "index", 0) == 0 || errno == ENOENT;
    if (forgotten && clear_tree(carrier))
        tell_state(carrier, FRAME_STATE);
    else
        tell_failed(carrier, "carrier-failed: the tree cannot be cleared");
    /* It is not written again. */
    carrier->index.failed = true;
}
