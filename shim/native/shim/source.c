#include "source.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookahead.h"
#include "wire.h"

enum { BACKGROUND_LOOK_MS = 250 };

static bool is_stdout(void)
{
    struct stat in, out;
    return fstat(0, &in) == 0 && fstat(1, &out) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

void source_open(struct source *source, enum caller_stdio kind)
{
    *source = (struct source){.fd = 0, .kind = kind, .copy_out = -1, .copy_in = -1, .watch = -1};
    source->two_way = kind == CALLER_SOCKET && is_stdout();
    source->ended = kind == CALLER_CLOSED || kind == CALLER_NULL;
    if (kind == CALLER_FILE)
        source->origin = lseek(0, 0, SEEK_CUR);
    /* A file that cannot be read ahead. */
    if (source->origin < 0)
        source->kind = CALLER_DEVICE;
}

/* The tool has read at least this many of the sent bytes. */
static uint64_t known_read(const struct source *source)
{
    uint64_t known = source->granted > STDIN_WINDOW ? source->granted - STDIN_WINDOW : 0;
    return known < source->sent ? known : source->sent;
}

static bool looks_ahead(const struct source *source)
{
    return source->kind == CALLER_PIPE || source->kind == CALLER_SOCKET;
}

static void take_until(struct source *source, uint64_t count)
{
    if (source->fd < 0 || count <= source->taken)
        return;
    if (looks_ahead(source))
        lookahead_take(source, count);
    else if (source->kind == CALLER_FILE && lseek(source->fd, source->origin + (off_t)count, SEEK_SET) >= 0)
        source->taken = count;
}

void source_grant(struct source *source, uint32_t more)
{
    source->exact = more == 0;
    source->granted += more;
    take_until(source, known_read(source));
}

bool source_wanted(const struct source *source)
{
    /* The end itself needs no credit, but it is sent only to a tool that has a stdin. */
    return source->fd >= 0 && !source->ended && source->granted > 0;
}

static bool in_foreground(void)
{
    return tcgetpgrp(0) == getpgrp();
}

struct pollfd source_poll(const struct source *source, int *timeout)
{
    *timeout = -1;
    if (source->kind == CALLER_TTY && !in_foreground()) {
        *timeout = BACKGROUND_LOOK_MS;
        return (struct pollfd){.fd = -1};
    }
    /* A file is always ready: the shim read as far as credit allowed. */
    int fd = looks_ahead(source) ? source->watch : source->kind == CALLER_FILE ? -1 : source->fd;
    return (struct pollfd){.fd = fd, .events = POLLIN};
}

/* The end, as far as the tool can see. A terminal that went away is at its end. */
static ssize_t fail(struct source *source)
{
    if (source->kind != CALLER_TTY || errno != EIO)
        source->failed = errno;
    return 0;
}

static ssize_t read_now(struct source *source, void *bytes, size_t length)
{
    struct pollfd ready = {.fd = source->fd, .events = POLLIN};
    if (source->kind == CALLER_TTY && !in_foreground())
        return SOURCE_NOTHING;
    if (poll(&ready, 1, 0) <= 0)
        return SOURCE_NOTHING;
    ssize_t got = read(source->fd, bytes, length);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return SOURCE_NOTHING;
    return got < 0 ? fail(source) : got;
}

static ssize_t read_kind(struct source *source, void *bytes, size_t length)
{
    if (looks_ahead(source))
        return lookahead_read(source, bytes, length);
    if (source->kind != CALLER_FILE)
        return read_now(source, bytes, length);
    ssize_t got;
    do
        got = pread(source->fd, bytes, length, source->origin + (off_t)source->sent);
    while (got < 0 && errno == EINTR);
    return got < 0 ? fail(source) : got;
}

ssize_t source_read(struct source *source, void *bytes, size_t length)
{
    uint64_t credit = source->granted - source->sent;
    if (credit < length)
        length = (size_t)credit;
    if (length == 0)
        return SOURCE_NOTHING;
    ssize_t got = read_kind(source, bytes, length);
    if (got > 0)
        source->sent += (uint64_t)got;
    if (got == 0)
        source->ended = true;
    return got;
}

void source_settle(struct source *source, uint32_t unread)
{
    source->read = unread < source->sent ? source->sent - unread : 0;
    if (source->exact)
        source->read = known_read(source);
    take_until(source, source->read);
}

int source_lost(const struct source *source)
{
    return source->read == source->sent ? source->failed : 0;
}

/* It has read all that came, and of a socket on which it may only answer something at all. */
static bool came_to_error(const struct source *source)
{
    uint64_t known = known_read(source), read = source->read > known ? source->read : known;
    return source->error_waits && read == source->sent && (read > 0 || !source->two_way);
}

void source_close(struct source *source)
{
    if (source->fd < 0)
        return;
    take_until(source, known_read(source));
    if (came_to_error(source))
        source->failed = lookahead_error(source);
    lookahead_close(source);
    close(source->fd);
    source->fd = -1;
}
