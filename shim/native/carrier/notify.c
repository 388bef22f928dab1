#include "notify.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "clocks.h"
#include "links.h"
#include "watches.h"

enum {
    TOLD = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB,
    HOW = IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK,
    /* Names that were told and are not in the index, at most. Above, all is looked at. */
    UNKNOWN_MOST = 100 * 1000,
    AGAIN_MS = 30 * 1000,
};

/* 0 if it cannot be read. */
static uint64_t limit_of_watches(void)
{
    char text[24];
    int fd = open("/proc/sys/fs/inotify/max_user_watches", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text);
    uint64_t limit = 0;
    for (ssize_t i = 0; i < got && text[i] >= '0' && text[i] <= '9'; i++)
        limit = limit * 10 + (uint64_t)(text[i] - '0');
    if (fd >= 0)
        close(fd);
    return limit;
}

void notify_begin(struct carrier *carrier)
{
    uint64_t limit = limit_of_watches();
    carrier->watches_most = limit ? limit / 2 : UINT64_MAX;
    carrier->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    carrier->watching = carrier->notify >= 0;
}

void notify_try_again(struct carrier *carrier, bool now)
{
    if (carrier->notify >= 0 && (now || monotonic_ms() >= carrier->watch_again))
        carrier->watching = true;
}

/* Without enough watches none is of use: everything is scanned from now on. */
static void scan_instead(struct carrier *carrier)
{
    carrier->watching = false;
    carrier->watch_again = monotonic_ms() + AGAIN_MS;
    notify_leave(carrier, carrier->index.root);
}

static bool add_watch(struct carrier *carrier, const struct entry *entry, int *watch)
{
    bool more = watch_of(entry) < 0 && carrier->index.watched >= carrier->watches_most;
    *watch = more ? -1 : inotify_add_watch(carrier->notify, ".", TOLD | HOW);
    if (*watch < 0 && (more || errno == ENOSPC || errno == ENOMEM))
        scan_instead(carrier);
    return *watch >= 0;
}

void notify_watch(struct carrier *carrier, struct entry *entry, int fd)
{
    int watch;
    if (!carrier->watching || fchdir(fd) != 0 || !add_watch(carrier, entry, &watch))
        return;
    /* A watch follows the folder, not its name: one that was renamed comes under its new name with its old watch. */
    struct entry *other = watches_find(&carrier->index, watch);
    if (other == entry)
        return;
    if (other) {
        watches_remove(&carrier->index, other);
        index_queue(&carrier->index, other);
    }
    if (watch_of(entry) >= 0) {
        inotify_rm_watch(carrier->notify, watch_of(entry));
        watches_remove(&carrier->index, entry);
    }
    if (!watches_add(&carrier->index, entry, watch))
        inotify_rm_watch(carrier->notify, watch);
}

void notify_leave(struct carrier *carrier, struct entry *entry)
{
    if (watch_of(entry) >= 0) {
        if (carrier->notify >= 0)
            inotify_rm_watch(carrier->notify, watch_of(entry));
        watches_remove(&carrier->index, entry);
    }
    for (struct entry *child = entry_child(entry); child; child = entry_next(child))
        if (entry_child(child) || watch_of(child) >= 0)
            notify_leave(carrier, child);
}

static void told(struct index *index, struct entry *entry)
{
    entry->flags |= ENTRY_TOLD;
    index_queue(index, entry);
}

static void take_event(struct carrier *carrier, const struct inotify_event *event)
{
    struct index *index = &carrier->index;
    if (event->mask & IN_Q_OVERFLOW)
        carrier->rescan = true;
    struct entry *entry = watches_find(index, event->wd);
    if (!entry)
        return;
    if (event->mask & IN_IGNORED) {
        watches_remove(index, entry);
        told(index, entry);
        return;
    }
    if (event->len > 0) {
        /* The folder has another mtime now; nothing more is told of that. */
        if (event->mask & (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO))
            told(index, entry);
        size_t length = strnlen(event->name, event->len);
        bool full = index->held > carrier->limits.entries + UNKNOWN_MOST;
        entry = full ? index_find(index, entry, event->name, length) : index_add(index, entry, event->name, length);
        carrier->rescan |= !entry;
    }
    /* Where a file was moved, descriptors go with it. */
    if (entry && event->mask & (IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO))
        links_doubt(index, entry);
    if (entry)
        told(index, entry);
}

void notify_drain(void *context)
{
    struct carrier *carrier = context;
    static _Alignas(struct inotify_event) char events[64 * 1024];
    ssize_t got;
    while (carrier->notify >= 0 && (got = read(carrier->notify, events, sizeof events)) > 0) {
        const struct inotify_event *event;
        for (ssize_t at = 0; at < got; at += (ssize_t)(sizeof *event + event->len)) {
            event = (const struct inotify_event *)(events + at);
            take_event(carrier, event);
        }
    }
}

bool notify_wait(const struct carrier *carrier, int milliseconds)
{
    struct pollfd polled = {.fd = carrier->notify, .events = POLLIN};
    return poll(&polled, 1, milliseconds) > 0;
}
