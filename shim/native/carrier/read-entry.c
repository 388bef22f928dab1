#include "read-entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "clocks.h"
#include "look.h"
#include "skip.h"
#include "xattrs.h"

enum { READ_TRIES = 3 };

static void read_as_empty(struct found *found)
{
    if (found->record.size > 0)
        found->flags |= ENTRY_UNREADABLE;
    found->record.size = 0;
    bytes_id("", 0, found->record.id);
}

static enum skip read_attributes(struct carrier *carrier, int fd, struct found *found)
{
    if (!xattrs_read(fd, &carrier->xattrs))
        return errno == E2BIG || errno == ERANGE ? SKIP_XATTRS : SKIP_UNREADABLE;
    xattrs_id(&carrier->xattrs, found->record.xattrs);
    return SKIP_NOT;
}

/* Three times at most; then what was read last is taken, and looked at again soon. */
static bool read_bytes_of(struct carrier *carrier, int fd, struct found *found)
{
    enum content_found how = CONTENT_CHANGED;
    for (int tries = 0; tries < READ_TRIES && how == CONTENT_CHANGED; tries++) {
        free(found->content.blocks);
        found->content.blocks = NULL;
        found->looked = now_ns();
        uint64_t size = (uint64_t)found->status.st_size;
        if (skip_for_size(carrier, size, found->most) != SKIP_NOT)
            return false;
        how = content_read(fd, &found->status, carrier->block, &carrier->meanwhile, &found->content);
        found->record = record_of(&found->status);
        found->record.size = size;
    }
    memcpy(found->record.id, found->content.id, SHA256_BYTES);
    if (how == CONTENT_CHANGED)
        found->flags |= ENTRY_UNSTABLE;
    return how != CONTENT_UNREAD;
}

static enum skip why_unread(const struct carrier *carrier, const struct found *found)
{
    enum skip skip = skip_for_size(carrier, (uint64_t)found->status.st_size, found->most);
    return skip == SKIP_NOT ? SKIP_UNREADABLE : skip;
}

/* Somebody has a lease on it, or another kind of thing is there by now. It counts as changed, and nobody gets bytes of it. */
static enum skip read_later(struct found *found)
{
    found->flags |= ENTRY_UNSTABLE;
    bool room = content_none(found->record.size, &found->content);
    memcpy(found->record.id, found->content.id, SHA256_BYTES);
    return room ? SKIP_NOT : SKIP_UNREADABLE;
}

/* Who may write it now may do so by a descriptor of which the kernel tells at no name here. If nobody may, a lease is to be
 * had, for a moment in which readers are not held up. If it is refused for another reason, nobody knows. */
static bool may_be_written(int fd)
{
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        return true;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
}

static enum skip read_file(struct carrier *carrier, int folder, const char *name, struct found *found)
{
    /* Another kind of thing may be there by now: nothing of it is waited for. */
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && (errno == EACCES || errno == EPERM)) {
        read_as_empty(found);
        return SKIP_NOT;
    }
    enum skip skip = SKIP_NOT;
    found->open = fd >= 0 && may_be_written(fd);
    if (fd < 0 || fstat(fd, &found->status) != 0 || !S_ISREG(found->status.st_mode))
        skip = read_later(found);
    else if (!read_bytes_of(carrier, fd, found))
        skip = why_unread(carrier, found);
    else
        skip = read_attributes(carrier, fd, found);
    if (fd >= 0)
        close(fd);
    return skip;
}

static enum skip read_link(int folder, const char *name, struct found *found)
{
    char text[PATH_MOST + 2];
    ssize_t length = readlinkat(folder, name, text, sizeof text);
    if (length < 0)
        found->flags |= ENTRY_UNSTABLE;
    if (length > PATH_MOST)
        return SKIP_TOO_LARGE;
    /* Else it is gone, closed, or another kind of thing by now. */
    if (length < 0 && errno != ENOENT && errno != EACCES && errno != EINVAL)
        return SKIP_UNREADABLE;
    found->record.mode = 0777;
    found->record.size = length < 0 ? 0 : (uint64_t)length;
    bytes_id(text, (size_t)found->record.size, found->record.id);
    return SKIP_NOT;
}

/* One that may be listed and not entered does not show what is in it. */
static bool closed_to_us(int fd)
{
    struct stat status;
    if (fd >= 0 && fstatat(fd, ".", &status, 0) == 0)
        return false;
    return errno == EACCES;
}

static enum skip read_folder(struct carrier *carrier, int folder, const char *name, struct found *found)
{
    int fd = *name ? beneath_open(folder, name, O_RDONLY | O_DIRECTORY) : dup(folder);
    int why = errno;
    if (closed_to_us(fd))
        found->flags |= ENTRY_UNREADABLE;
    errno = why;
    enum skip skip = fd < 0 ? folder_unread(carrier) : read_attributes(carrier, fd, found);
    if (fd >= 0)
        close(fd);
    return skip;
}

enum skip read_entry(struct carrier *carrier, int folder, const char *name, struct found *found)
{
    found->looked = now_ns();
    found->record = record_of(&found->status);
    switch (found->record.type) {
    case TYPE_FILE:
        return read_file(carrier, folder, name, found);
    case TYPE_LINK:
        return read_link(folder, name, found);
    default:
        return read_folder(carrier, folder, name, found);
    }
}
