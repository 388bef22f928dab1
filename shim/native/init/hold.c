#include "hold.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "file-system.h"
#include "find.h"

void hold_begin(struct hold *hold)
{
    hold->count = 0;
    watch_begin(&hold->watch);
}

struct hold_mark hold_mark(const struct hold *hold)
{
    return (struct hold_mark){hold->count, hold->watch.count};
}

void hold_back_to(struct hold *hold, struct hold_mark mark)
{
    while (hold->count > mark.files)
        close(hold->files[--hold->count].fd);
    hold->watch.count = mark.watched;
}

void hold_end(struct hold *hold)
{
    hold_back_to(hold, (struct hold_mark){0, 0});
    watch_end(&hold->watch);
}

/* The init does not ask for a lease that would not stop every writer. */
static int take_lease(int fd)
{
    if (!file_system_leases(fd))
        return EINVAL;
    return fcntl(fd, F_SETLEASE, F_RDLCK) == 0 ? 0 : errno;
}

static const char *why_no_lease(int error)
{
    switch (error) {
    case EINVAL:
        return "its file system knows no leases that bind everybody";
    case EACCES:
        return "it belongs to another user";
    default:
        return "it cannot be leased";
    }
}

struct holding hold_file(struct hold *hold, int fd, size_t number)
{
    struct held held = {.number = number, .fd = fd};
    if (hold->count == HELD_MOST || fstat(fd, &held.is) != 0)
        return (struct holding){.why_not = "it cannot be leased"};
    int error = take_lease(fd);
    held.leased = error == 0;
    if (error == EAGAIN)
        return (struct holding){.why_not = "somebody is writing it", .written = true};
    if (error != 0 && !(owned_by_root_alone(&held.is) && file_system_tells(fd)))
        return (struct holding){.why_not = why_no_lease(error)};
    hold->files[hold->count++] = held;
    return (struct holding){0};
}

int hold_changed(struct hold *hold)
{
    for (size_t i = 0; i < hold->count; i++)
        if (hold->files[i].leased && fcntl(hold->files[i].fd, F_GETLEASE) != F_RDLCK)
            return (int)hold->files[i].number;
    return watch_changed(&hold->watch);
}

static bool leads_to(const char *path, const struct stat *is)
{
    struct stat found;
    int fd = find(path);
    bool same = fd >= 0 && fstat(fd, &found) == 0 && found.st_dev == is->st_dev && found.st_ino == is->st_ino;
    if (fd >= 0)
        close(fd);
    return same;
}

int hold_last_look(struct hold *hold, const struct plan *plan)
{
    int changed = hold_changed(hold);
    for (size_t i = 0; changed < 0 && i < hold->count; i++)
        if (!leads_to(plan->operands[hold->files[i].number], &hold->files[i].is))
            changed = (int)hold->files[i].number;
    return changed;
}
