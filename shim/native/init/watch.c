#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file-system.h"
#include "way.h"

enum { LINKS_MOST = 40 };
enum { CHANGES = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO, GONE = IN_UNMOUNT | IN_IGNORED };

static const char too_long[] = "its way is too long";
static const char no_way[] = "its way cannot be followed";

/* The current position on the path, and the rest of the path. */
struct walk {
    int at, links;
    char rest[PATH_MAX];
};

void watch_begin(struct watch *watch)
{
    watch->fd = -1;
    watch->count = 0;
}

void watch_end(struct watch *watch)
{
    if (watch->fd >= 0)
        close(watch->fd);
    watch_begin(watch);
}

static const char *watch_entry(struct watch *watch, int folder, const char *name, size_t number)
{
    struct stat status;
    if (fstat(folder, &status) != 0)
        return no_way;
    if (owned_by_root_alone(&status))
        return NULL;
    if (!file_system_tells(folder))
        return "the file system of a folder on its way does not tell every change";
    if (watch->count == WATCHED_MOST)
        return too_long;
    if (watch->fd < 0 && (watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) < 0)
        return "no more folders can be watched here";
    struct watched *entry = &watch->entries[watch->count];
    struct way way = way_to(folder);
    entry->folder = inotify_add_watch(watch->fd, way.path, CHANGES | IN_ONLYDIR);
    if (entry->folder < 0)
        return "a folder on its way cannot be watched";
    if (folder_folds_case(way.path))
        return "a folder on its way does not tell names by case";
    entry->path = number;
    strcpy(entry->name, name);
    watch->count++;
    return NULL;
}

/* Removes the next name from the rest; false at its end, or if the name is not possible. */
static bool next_name(struct walk *walk, char name[NAME_MAX + 1])
{
    size_t start = strspn(walk->rest, "/");
    size_t length = strcspn(walk->rest + start, "/");
    if (length == 0 || length > NAME_MAX)
        return false;
    memcpy(name, walk->rest + start, length);
    name[length] = 0;
    memmove(walk->rest, walk->rest + start + length, strlen(walk->rest + start + length) + 1);
    return true;
}

static void go_to(struct walk *walk, int next)
{
    close(walk->at);
    walk->at = next;
}

/* First the link's own target, then the rest. */
static const char *follow(struct walk *walk, int link)
{
    char joined[PATH_MAX];
    ssize_t length = readlinkat(link, "", joined, sizeof joined);
    size_t rest = strlen(walk->rest);
    close(link);
    if (length <= 0)
        return no_way;
    if (++walk->links > LINKS_MOST || (size_t)length + 1 + rest >= sizeof joined)
        return too_long;
    joined[length] = '/';
    memcpy(joined + length + 1, walk->rest, rest + 1);
    memcpy(walk->rest, joined, (size_t)length + 1 + rest + 1);
    if (joined[0] != '/')
        return NULL;
    go_to(walk, open("/", O_PATH | O_CLOEXEC));
    return walk->at < 0 ? no_way : NULL;
}

static const char *step(struct watch *watch, struct walk *walk, const char *name, size_t number)
{
    struct stat status;
    const char *why = strcmp(name, "..") == 0 ? NULL : watch_entry(watch, walk->at, name, number);
    if (why)
        return why;
    int next = openat(walk->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
        return no_way;
    if (fstat(next, &status) == 0 && S_ISLNK(status.st_mode))
        return follow(walk, next);
    go_to(walk, next);
    return NULL;
}

static bool set_out(struct walk *walk, const char *path)
{
    size_t length = 0;
    walk->links = 0;
    walk->at = open("/", O_PATH | O_CLOEXEC);
    if (path[0] != '/') {
        if (!getcwd(walk->rest, sizeof walk->rest))
            return false;
        length = strlen(walk->rest);
        walk->rest[length++] = '/';
    }
    if (length + strlen(path) >= sizeof walk->rest)
        return false;
    strcpy(walk->rest + length, path);
    return walk->at >= 0;
}

const char *watch_way(struct watch *watch, const char *path, size_t number)
{
    static struct walk walk;
    char name[NAME_MAX + 1];
    const char *why = set_out(&walk, path) ? NULL : too_long;
    while (!why && next_name(&walk, name))
        if (strcmp(name, ".") != 0)
            why = step(watch, &walk, name, number);
    if (!why && walk.rest[strspn(walk.rest, "/")] != 0)
        why = too_long;
    if (walk.at >= 0)
        close(walk.at);
    return why;
}

static bool is_about(const struct watched *entry, const struct inotify_event *event)
{
    if (event->mask & IN_Q_OVERFLOW)
        return true;
    if (event->wd != entry->folder)
        return false;
    return event->mask & GONE || (event->len > 0 && strcmp(event->name, entry->name) == 0);
}

static int path_of(const struct watch *watch, const struct inotify_event *event)
{
    for (size_t i = 0; i < watch->count; i++)
        if (is_about(&watch->entries[i], event))
            return (int)watch->entries[i].path;
    return -1;
}

int watch_changed(struct watch *watch)
{
    static _Alignas(struct inotify_event) char bytes[16 * 1024];
    ssize_t got;
    while (watch->fd >= 0 && ((got = read(watch->fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR)))
        for (char *at = bytes; got > 0 && at < bytes + got;) {
            const struct inotify_event *event = (const struct inotify_event *)(void *)at;
            int path = path_of(watch, event);
            if (path >= 0)
                return path;
            at += sizeof *event + event->len;
        }
    return -1;
}
