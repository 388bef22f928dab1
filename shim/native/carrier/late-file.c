#include "late-file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "clocks.h"
#include "content.h"

enum {
    /* So soon after a write the next may leave the same time. */
    CLOCK_STANDS_NS = 20 * 1000 * 1000,
    /* Of one file: a process that has it open could have all of it read in each look. */
    READ_AGAIN_MOST = 64 * 1024 * 1024,
};

const char *late_name(const struct late_file *file, char name[24])
{
    snprintf(name, 24, "%llu", (unsigned long long)file->number);
    return name;
}

bool late_named(const struct late *late, const struct stat *status)
{
    uint64_t graves = 0;
    for (const struct late_file *file = late->first; status->st_nlink > 1 && file; file = file->next)
        graves += file->inode == status->st_ino;
    return status->st_nlink > 1 && status->st_nlink > graves;
}

void late_is_now(struct late_file *file, const struct stat *status, int64_t mtime)
{
    file->mtime = mtime;
    file->ctime = nanoseconds(&status->st_ctim);
    file->settled = now_ns() - mtime >= CLOCK_STANDS_NS;
}

/* The id of its bytes; none if it has another size by now: it may have grown without end since it was looked at. False
 * if it cannot be read. */
static bool bytes_now(struct carrier *carrier, const struct late_file *file, uint8_t id[SHA256_BYTES])
{
    struct stat status;
    struct content content = {.blocks = NULL};
    char name[24];
    int fd = beneath_open(carrier->late.grave, late_name(file, name), O_RDONLY | O_NONBLOCK);
    bool there = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == file->inode;
    bool same_size = there && (uint64_t)status.st_size == file->size;
    if (same_size)
        there = content_read(fd, &status, carrier->block, &carrier->meanwhile, &content) != CONTENT_UNREAD;
    memset(id, 0, SHA256_BYTES);
    if (same_size && there)
        memcpy(id, content.id, SHA256_BYTES);
    free(content.blocks);
    if (fd >= 0)
        close(fd);
    return there;
}

static bool may_read(struct carrier *carrier, uint64_t size)
{
    if (size > READ_AGAIN_MOST || size > carrier->late.may_read)
        return false;
    carrier->late.may_read -= size;
    return true;
}

/* Its last name outside of the grave went after its last write: so that was no late one, and from now on each is. */
static void begin_anew(struct carrier *carrier, struct late_file *file, const struct stat *status)
{
    file->size = (uint64_t)status->st_size;
    late_is_now(file, status, nanoseconds(&status->st_mtim));
    /* Of what is larger no bytes are compared. */
    if (file->size <= READ_AGAIN_MOST)
        file->named = !may_read(carrier, file->size) || !bytes_now(carrier, file, file->id);
}

bool late_written(struct carrier *carrier, struct late_file *file)
{
    struct stat status;
    char name[24];
    uint8_t id[SHA256_BYTES];
    bool there = fstatat(carrier->late.grave, late_name(file, name), &status, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISREG(status.st_mode) && status.st_ino == file->inode;
    bool was_named = file->named;
    file->named = there && late_named(&carrier->late, &status);
    if (!there || file->named)
        return false;
    if (was_named && nanoseconds(&status.st_mtim) < nanoseconds(&status.st_ctim)) {
        begin_anew(carrier, file, &status);
        return false;
    }
    if (file->written || (uint64_t)status.st_size != file->size || nanoseconds(&status.st_mtim) != file->mtime)
        return true;
    if ((file->settled && nanoseconds(&status.st_ctim) == file->ctime) || !may_read(carrier, file->size))
        return false;
    late_is_now(file, &status, file->mtime);
    return bytes_now(carrier, file, id) && memcmp(id, file->id, SHA256_BYTES) != 0;
}
