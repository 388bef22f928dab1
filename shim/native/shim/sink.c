#include "sink.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

/* A pipe takes this many bytes at once whenever poll reports it as writable; a terminal takes fewer before it blocks.
 */
enum { PIPE_STEP = 4096, TERMINAL_STEP = 512 };

void sink_open(struct sink *sink, int fd, enum caller_stdio kind)
{
    *sink = (struct sink){.fd = fd, .kind = kind, .gone = kind == CALLER_CLOSED};
}

static ssize_t write_step(int fd, const void *bytes, size_t length, size_t step)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) <= 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(fd, bytes, length < step ? length : step);
}

static ssize_t write_pipe(int fd, const void *bytes, size_t length)
{
    struct iovec part = {(void *)bytes, length};
    ssize_t written = syscall(SYS_pwritev2, fd, &part, 1, -1L, -1L, RWF_NOWAIT);
    /* Kernels before 6.4 cannot do this on a pipe, and a seccomp filter may not know the call. */
    if (written < 0 && (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL || errno == EPERM))
        return write_step(fd, bytes, length, PIPE_STEP);
    return written;
}

static ssize_t write_once(const struct sink *sink, const void *bytes, size_t length)
{
    switch (sink->kind) {
    case CALLER_PIPE:
        return write_pipe(sink->fd, bytes, length);
    case CALLER_SOCKET:
        return send(sink->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    case CALLER_TTY:
        return write_step(sink->fd, bytes, length, TERMINAL_STEP);
    default:
        return write(sink->fd, bytes, length);
    }
}

/* Nobody would have read it: a reader or a terminal that went away. */
static bool is_unread(const struct sink *sink, int error)
{
    return error == EPIPE || error == ECONNRESET || (error == EIO && sink->kind == CALLER_TTY);
}

static void fail(struct sink *sink, int error)
{
    sink->gone = true;
    if (!is_unread(sink, error))
        sink->failed = error;
}

size_t sink_write(struct sink *sink, const void *bytes, size_t length)
{
    size_t done = 0;
    while (done < length && !sink->gone) {
        ssize_t written = write_once(sink, (const char *)bytes + done, length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN)
            return done;
        if (written < 0)
            fail(sink, errno);
        else
            done += (size_t)written;
    }
    return length;
}
