#include "kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "area.h"
#include "beneath.h"
#include "clocks.h"
#include "content.h"
#include "goes-on.h"

/* An empty file costs something, too: without that the bytes would not bound how many there are. */
enum { TRIES_MOST = 1000, DEEP_MOST = DEPTH_MOST + 2, ENTRY_BYTES = 4096 };

struct kept {
    uint64_t number, since, bytes;
};

struct kept_list {
    size_t count, room;
    struct kept *all;
};

int kept_open(struct carrier *carrier, uint64_t *number)
{
    char name[24];
    int all = area_made(carrier->area, "kept");
    int made = -1;
    *number = (uint64_t)now_ns();
    for (int tries = 0; all >= 0 && made != 0 && tries < TRIES_MOST; tries++) {
        snprintf(name, sizeof name, "%llu", (unsigned long long)++*number);
        made = mkdirat(all, name, 0700);
        if (made != 0 && errno != EEXIST)
            break;
    }
    int kept = made == 0 ? beneath_open(all, name, O_RDONLY | O_DIRECTORY) : -1;
    if (all >= 0)
        close(all);
    return kept;
}

int kept_at(struct carrier *carrier, uint64_t number)
{
    char name[24];
    int all = area_made(carrier->area, "kept");
    snprintf(name, sizeof name, "%llu", (unsigned long long)number);
    int kept = all < 0 ? -1 : area_made(all, name);
    if (all >= 0)
        close(all);
    return kept;
}

static uint64_t bytes_in(struct carrier *carrier, int folder, const char *name, unsigned deep)
{
    struct stat status;
    struct dirent *found;
    goes_on(carrier);
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    uint64_t bytes = (uint64_t)status.st_blocks * 512 + ENTRY_BYTES;
    int fd = S_ISDIR(status.st_mode) && deep < DEEP_MOST ? beneath_open(folder, name, O_RDONLY | O_DIRECTORY) : -1;
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    while (names && (found = readdir(names)))
        if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0)
            bytes += bytes_in(carrier, fd, found->d_name, deep + 1);
    if (names)
        closedir(names);
    else if (fd >= 0)
        close(fd);
    return bytes;
}

static bool list_add(struct kept_list *list, struct kept kept)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        struct kept *all = realloc(list->all, room * sizeof *all);
        if (!all)
            return false;
        list->all = all;
        list->room = room;
    }
    list->all[list->count++] = kept;
    return true;
}

static int by_age(const void *a, const void *b)
{
    const struct kept *first = a, *second = b;
    if (first->since != second->since)
        return first->since > second->since ? 1 : -1;
    return (first->number > second->number) - (first->number < second->number);
}

/* Only folders that are ours: their names are numbers, as we write them. */
static bool ours(const char *name, uint64_t *number)
{
    char again[24];
    *number = strtoull(name, NULL, 10);
    snprintf(again, sizeof again, "%llu", (unsigned long long)*number);
    return strcmp(again, name) == 0;
}

/* Its number is when it was made; something came into it, or was told, when it was last written. */
static uint64_t since(int fd, const char *name, uint64_t number)
{
    struct stat status;
    int64_t written = fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? nanoseconds(&status.st_mtim) : 0;
    return written > 0 && (uint64_t)written > number ? (uint64_t)written : number;
}

static void list_read(struct carrier *carrier, int fd, DIR *names, struct kept_list *list)
{
    struct dirent *found;
    struct kept kept;
    while ((found = readdir(names))) {
        if (!ours(found->d_name, &kept.number))
            continue;
        kept.since = since(fd, found->d_name, kept.number);
        kept.bytes = bytes_in(carrier, fd, found->d_name, 0);
        if (!list_add(list, kept))
            break;
    }
    if (list->count > 1)
        qsort(list->all, list->count, sizeof *list->all, by_age);
}

void kept_remove(struct carrier *carrier, uint64_t number)
{
    char path[40];
    snprintf(path, sizeof path, "kept/%llu", (unsigned long long)number);
    area_remove(carrier, path);
}

static void drop_oldest(struct carrier *carrier, const struct kept_list *list)
{
    uint64_t bytes = 0, age = carrier->limits.kept_seconds * 1000000000u, now = (uint64_t)now_ns();
    for (size_t i = 0; i < list->count; i++)
        bytes += list->all[i].bytes;
    for (size_t i = 0; i < list->count; i++) {
        bool old = list->all[i].since < now && now - list->all[i].since > age;
        bool much = bytes > carrier->limits.kept_bytes && i + 1 < list->count;
        if (!old && !much)
            continue;
        kept_remove(carrier, list->all[i].number);
        bytes -= list->all[i].bytes;
    }
}

void kept_bound(struct carrier *carrier)
{
    struct kept_list list = {0};
    int fd = beneath_open(carrier->area, "kept", O_RDONLY | O_DIRECTORY);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names) {
        if (fd >= 0)
            close(fd);
        return;
    }
    list_read(carrier, fd, names, &list);
    closedir(names);
    drop_oldest(carrier, &list);
    free(list.all);
}
