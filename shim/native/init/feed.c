#include "feed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "descriptors.h"
#include "text.h"

enum { GRANT_LEAST = 16 * 1024, TICK_LEAST_MS = 1, TICK_MOST_MS = 500 };

static void send_number(struct outbox *outbox, uint8_t type, uint64_t number)
{
    uint8_t payload[4];
    put_u32(payload, (uint32_t)number);
    outbox_put(outbox, type, payload, sizeof payload);
}

static bool has_room(const struct outbox *outbox)
{
    return OUTBOX_BYTES - outbox->end >= OUTBOX_SMALL / 2;
}

/* Other processes may write into the pipe, too: what the tool has read never becomes less by that. */
static void measure_pipe(struct feed *feed, uint64_t left)
{
    uint64_t now = left < feed->written ? feed->written - left : 0;
    if (now > feed->read)
        feed->read = now;
}

static void measure(struct feed *feed)
{
    int fd = feed->fd >= 0 ? feed->fd : feed->probe;
    int left = 0;
    if (feed->pipe && fd >= 0 && ioctl(fd, FIONREAD, &left) == 0)
        measure_pipe(feed, (uint64_t)left);
    else if (!feed->pipe)
        feed->read = feed->written;
}

static uint64_t grantable(const struct feed *feed)
{
    return feed->read + STDIN_WINDOW - feed->granted;
}

static void grant(struct feed *feed, struct outbox *outbox, uint64_t least)
{
    uint64_t more = grantable(feed);
    if (more < least || more == 0 || !has_room(outbox))
        return;
    send_number(outbox, FRAME_CREDIT, more);
    feed->granted += more;
}

void feed_open(struct feed *feed, int fd, bool pipe, struct outbox *outbox)
{
    feed->fd = fd;
    feed->probe = -1;
    feed->pipe = pipe;
    if (fd >= 0)
        grant(feed, outbox, STDIN_WINDOW);
}

static void keep(struct feed *feed, const uint8_t *bytes, size_t length)
{
    if (feed->end + length > sizeof feed->buffer) {
        memmove(feed->buffer, feed->buffer + feed->start, feed->end - feed->start);
        feed->end -= feed->start;
        feed->start = 0;
    }
    memcpy(feed->buffer + feed->end, bytes, length);
    feed->end += length;
}

/* Returns the bytes that were taken. If no process reads any more, all of them are dropped. */
static size_t write_some(struct feed *feed, const uint8_t *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t written = write(feed->fd, bytes + done, length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            break;
        done += (size_t)written;
    }
    feed->written += done;
    return done;
}

bool feed_accept(struct feed *feed, const uint8_t *bytes, size_t length)
{
    if (feed->granted - feed->received < length || feed->ended)
        return false;
    feed->received += length;
    if (feed->fd < 0)
        return true;
    size_t done = feed->start == feed->end ? write_some(feed, bytes, length) : 0;
    if (done < length)
        keep(feed, bytes + done, length - done);
    return true;
}

void feed_end(struct feed *feed)
{
    feed->ended = true;
}

/* Opened only now: while the init still wrote, its own reader would hide that the tool's reader is gone. */
static int open_probe(int fd)
{
    struct text path = {0};
    text_add(&path, "/proc/self/fd/");
    text_add_number(&path, (unsigned long)fd);
    return open(path.bytes, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static void finish_input(struct feed *feed)
{
    static const uint8_t end_of_file = 4;
    if (feed->pipe)
        feed->probe = open_probe(feed->fd);
    else if (write(feed->fd, &end_of_file, 1) < 0 && errno == EAGAIN)
        return;
    measure(feed);
    close(feed->fd);
    feed->fd = -1;
}

static void push(struct feed *feed)
{
    if (feed->fd < 0)
        return;
    if (feed->start < feed->end)
        feed->start += write_some(feed, feed->buffer + feed->start, feed->end - feed->start);
    if (feed->start == feed->end)
        feed->start = feed->end = 0;
    if (feed->ended && feed->end == 0)
        finish_input(feed);
}

/* A pipe does not report that its reader reads, unless it was full. So while it holds bytes, look from time to time,
 * and less often the longer nothing changes. */
static void plan_tick(struct feed *feed, bool moved, int64_t now)
{
    bool watch = !feed->ended && feed->fd >= 0 && (feed->read < feed->written || grantable(feed) > 0);
    if (moved)
        feed->tick_ms = TICK_LEAST_MS;
    if (!watch)
        feed->tick_at = 0;
    else if (moved || feed->tick_at == 0)
        feed->tick_at = now + (feed->tick_ms = TICK_LEAST_MS);
    else if (now >= feed->tick_at) {
        feed->tick_ms = feed->tick_ms * 2 < TICK_MOST_MS ? feed->tick_ms * 2 : TICK_MOST_MS;
        feed->tick_at = now + feed->tick_ms;
    }
}

void feed_step(struct feed *feed, struct outbox *outbox, int64_t now)
{
    push(feed);
    if (feed->ended || feed->fd < 0) {
        feed->tick_at = 0;
        return;
    }
    measure(feed);
    bool due = feed->tick_at != 0 && now >= feed->tick_at;
    grant(feed, outbox, due ? 1 : GRANT_LEAST);
    bool moved = feed->read + feed->written != feed->seen;
    feed->seen = feed->read + feed->written;
    plan_tick(feed, moved, now);
}

void feed_close(struct feed *feed, struct outbox *outbox)
{
    static const uint8_t stdin_fd = 0;
    if (feed->fd < 0)
        return;
    measure(feed);
    close(feed->fd);
    feed->fd = -1;
    /* The credit must come first, because the sender gives back bytes before it closes; feed_settle sends it at the
     * latest. */
    if (!has_room(outbox))
        return;
    grant(feed, outbox, 1);
    outbox_put(outbox, FRAME_CLOSED, &stdin_fd, 1);
}

void feed_shut(struct feed *feed)
{
    descriptor_shut(&feed->fd);
    descriptor_shut(&feed->probe);
}

void feed_settle(struct feed *feed, struct outbox *outbox)
{
    measure(feed);
    if (feed->granted > 0) {
        grant(feed, outbox, 1);
        send_number(outbox, FRAME_CREDIT, 0);
    }
    send_number(outbox, FRAME_UNREAD, feed->received - feed->read);
}
