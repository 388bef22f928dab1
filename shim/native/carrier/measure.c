#include "measure.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "beneath.h"
#include "goes-on.h"
#include "inodes.h"
#include "state-frames.h"

/* Each level costs a descriptor. What is deeper is never carried, and makes the count one that is not whole. */
enum { DEEPEST = 1000, BLOCK_OF_STAT = 512, MEASURE_ALL = 1 };

struct taken {
    uint64_t bytes, entries, carried;
    bool whole;
};

static void count_folder(struct carrier *carrier, struct taken *taken, int around, const char *name, unsigned depth);

/* Blocks, not lengths: a tool can have blocks behind a file's end, and holes in it. */
static void count_entry(struct carrier *carrier, struct taken *taken, int folder, const char *name, unsigned depth)
{
    struct stat status;
    goes_on(carrier);
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_dev != carrier->device)
        return;
    uint64_t bytes = (uint64_t)status.st_blocks * BLOCK_OF_STAT;
    taken->entries++;
    if (S_ISDIR(status.st_mode))
        count_folder(carrier, taken, folder, name, depth + 1);
    else if (status.st_nlink > 1)
        bytes /= status.st_nlink;
    taken->bytes += bytes;
    if (S_ISREG(status.st_mode) && inodes_find(&carrier->index, status.st_ino))
        taken->carried += bytes < (uint64_t)status.st_size ? bytes : (uint64_t)status.st_size;
}

static void count_folder(struct carrier *carrier, struct taken *taken, int around, const char *name, unsigned depth)
{
    struct dirent *found = NULL;
    int fd = depth > DEEPEST ? -1 : beneath_open(around, name, O_RDONLY | O_DIRECTORY);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names) {
        taken->whole &= depth <= DEEPEST && fd < 0 && (errno == ENOENT || errno == ENOTDIR);
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((errno = 0, found = readdir(names)))
        if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0)
            count_entry(carrier, taken, fd, found->d_name, depth);
    taken->whole &= errno == 0;
    closedir(names);
}

static void put_disk(struct stream *stream, const struct statfs *disk)
{
    uint64_t block = (uint64_t)(disk->f_frsize ? disk->f_frsize : disk->f_bsize);
    stream_put_u64(stream, disk->f_bavail * block);
    stream_put_u64(stream, disk->f_blocks * block);
    stream_put_u64(stream, disk->f_ffree);
    stream_put_u64(stream, disk->f_files);
}

void serve_measure(struct carrier *carrier, struct reader *reader)
{
    struct statfs disk;
    struct taken taken = {.whole = true};
    uint8_t how = read_u8(reader);
    if (!read_all(reader) || how > MEASURE_ALL || !carrier->limits.replica) {
        tell_refused(carrier, "bad-frame: measure");
        return;
    }
    if (how & MEASURE_ALL)
        count_folder(carrier, &taken, carrier->area, "", 0);
    if (fstatfs(carrier->area, &disk) != 0) {
        tell_failed(carrier, "carrier-failed: the disk does not say how much room it has");
        return;
    }
    struct stream *stream = &carrier->stream;
    stream_begin(stream, FRAME_MEASURED);
    put_disk(stream, &disk);
    stream_put_u64(stream, taken.bytes);
    stream_put_u64(stream, taken.entries);
    stream_put_u64(stream, taken.carried);
    stream_put_u64(stream, carrier->index.entries);
    stream_put_u8(stream, taken.whole);
    stream_end(stream);
}
