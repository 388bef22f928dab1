#include "lookahead.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SCRATCH = 16 * 1024, ENLARGED = 512 * 1024 };

/* New bytes make the edge-triggered epoll readable, while poll() on a pipe that is not empty always returns. */
static bool open_watch(struct source *source)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET};
    source->watch = epoll_create1(EPOLL_CLOEXEC);
    return source->watch >= 0 && epoll_ctl(source->watch, EPOLL_CTL_ADD, source->fd, &event) == 0;
}

static bool prepare(struct source *source)
{
    int ends[2];
    if (source->watch < 0 && !open_watch(source))
        return false;
    if (source->kind == CALLER_SOCKET || source->copy_out >= 0)
        return true;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    source->copy_out = ends[0];
    source->copy_in = ends[1];
    return true;
}

static void forget_edge(const struct source *source)
{
    struct epoll_event event;
    epoll_wait(source->watch, &event, 1, 0);
}

/* Not 0 if no more bytes will come. To ask so takes no error of a socket. */
static int hung_up(const struct source *source)
{
    struct pollfd state = {.fd = source->fd, .events = POLLRDHUP};
    return poll(&state, 1, 0) > 0 ? state.revents & (POLLHUP | POLLRDHUP | POLLERR) : 0;
}

/* But for EPIPE, which came behind an end. */
int lookahead_error(const struct source *source)
{
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(source->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
        return 0;
    return error == EPIPE ? 0 : error;
}

static uint64_t present(const struct source *source)
{
    int count = 0;
    return ioctl(source->fd, FIONREAD, &count) == 0 && count > 0 ? (uint64_t)count : 0;
}

/* If the pipe is full of bytes that were already sent, its writer is blocked although credit is left. And the copy
 * must be able to hold all that the pipe holds. */
static void fit(struct source *source, uint64_t held)
{
    int size = fcntl(source->fd, F_GETPIPE_SZ);
    if (!source->enlarged && size > 0 && size < ENLARGED && held >= (uint64_t)size / 2) {
        source->enlarged = true;
        fcntl(source->fd, F_SETPIPE_SZ, ENLARGED);
        size = fcntl(source->fd, F_GETPIPE_SZ);
    }
    if (size > fcntl(source->copy_out, F_GETPIPE_SZ))
        fcntl(source->copy_out, F_SETPIPE_SZ, size);
}

/* Reads bytes from `fd` that are there and not needed any more. */
static uint64_t skip(int fd, uint64_t count)
{
    static char scratch[SCRATCH];
    uint64_t left = count;
    while (left > 0) {
        ssize_t got = read(fd, scratch, left < SCRATCH ? left : SCRATCH);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        left -= (uint64_t)got;
    }
    return count - left;
}

static ssize_t look_into_pipe(struct source *source, uint64_t held, void *bytes, size_t length)
{
    fit(source, held);
    ssize_t copied = tee(source->fd, source->copy_in, held + length, SPLICE_F_NONBLOCK);
    if (copied <= 0 || (uint64_t)copied <= held) {
        if (copied > 0)
            skip(source->copy_out, (uint64_t)copied);
        return 0;
    }
    if (skip(source->copy_out, held) != held)
        return 0;
    return read(source->copy_out, bytes, (uint64_t)copied - held);
}

static ssize_t look_into_socket(const struct source *source, uint64_t held, void *bytes, size_t length)
{
    static char scratch[256 * 1024];
    struct iovec parts[] = {{scratch, held}, {bytes, length}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (held > sizeof scratch)
        return 0;
    ssize_t got = recvmsg(source->fd, &message, MSG_PEEK | MSG_DONTWAIT);
    return got > 0 && (uint64_t)got > held ? got - (ssize_t)held : 0;
}

ssize_t lookahead_read(struct source *source, void *bytes, size_t length)
{
    if (!prepare(source)) {
        source->failed = errno;
        return 0;
    }
    forget_edge(source);
    int last = hung_up(source);
    uint64_t held = source->sent - source->taken;
    uint64_t there = present(source);
    /* Another process has read from it: the remaining bytes count. */
    if (there < held)
        source->taken = source->sent - (held = there);
    ssize_t got = 0;
    if (there > held)
        got = source->kind == CALLER_PIPE ? look_into_pipe(source, held, bytes, length)
                                          : look_into_socket(source, held, bytes, length);
    else if (!last && source->kind == CALLER_PIPE)
        fit(source, held);
    if (got > 0)
        return got;
    if (!last || there != held)
        return SOURCE_NOTHING;
    source->error_waits = source->kind == CALLER_SOCKET && last & POLLERR;
    return 0;
}

void lookahead_take(struct source *source, uint64_t count)
{
    uint64_t there = present(source);
    uint64_t more = count - source->taken;
    source->taken += skip(source->fd, more < there ? more : there);
}

void lookahead_close(struct source *source)
{
    if (source->watch >= 0)
        close(source->watch);
    if (source->copy_out >= 0) {
        close(source->copy_out);
        close(source->copy_in);
    }
    source->watch = source->copy_out = source->copy_in = -1;
}
