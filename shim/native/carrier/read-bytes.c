#include "read-bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"
#include "content.h"
#include "state-frames.h"

enum { READ_MOST = 512 * 1024, OF_TREE = 0, OF_KEPT = 1 };

static int open_plain(int base, const char *path)
{
    struct stat status;
    int fd = base < 0 ? -1 : beneath_open(base, path, O_RDONLY | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

static int open_of(const struct carrier *carrier, uint8_t where, const char *path)
{
    if (where == OF_TREE)
        return open_plain(carrier->root, path);
    int kept = beneath_open(carrier->area, "kept", O_PATH | O_DIRECTORY);
    int fd = open_plain(kept, path);
    if (kept >= 0)
        close(kept);
    return fd;
}

void serve_read(struct carrier *carrier, struct reader *reader)
{
    char path[PATH_MOST + 1];
    uint8_t where = read_u8(reader);
    read_text(reader, path, PATH_MOST);
    uint64_t offset = read_u64(reader);
    uint32_t length = read_u32(reader);
    if (!read_all(reader) || where > OF_KEPT || length > READ_MOST || offset > INT64_MAX - READ_MOST || !path[0]) {
        tell_refused(carrier, "bad-frame: read");
        return;
    }
    int fd = open_of(carrier, where, path);
    ssize_t got = fd < 0 ? -1 : read_at(fd, carrier->block, length, offset);
    if (fd >= 0)
        close(fd);
    if (got < 0) {
        tell_failed(carrier, "not-found: there is no such file, or it may not be read");
        return;
    }
    stream_begin(&carrier->stream, FRAME_BYTES);
    stream_put(&carrier->stream, carrier->block, (size_t)got);
    stream_end(&carrier->stream);
}
