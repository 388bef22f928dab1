#include "area.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "goes-on.h"

enum { DEEP = 64 };

bool area_shut(const struct carrier *carrier)
{
    return carrier->jail.point || carrier->limits.replica;
}

/* What is deep in the stage comes to its top, so that depth costs neither descriptors nor stack. */
static void lift(int top, int folder, const char *name)
{
    static unsigned long number;
    char lifted[32];
    snprintf(lifted, sizeof lifted, "lifted%lu", number++);
    beneath_rename(folder, name, top, lifted, RENAME_NEW);
}

static void remove_in(struct carrier *carrier, int top, int fd, unsigned depth);

static void remove_one(struct carrier *carrier, int top, int folder, const char *name, unsigned depth)
{
    goes_on(carrier);
    if (unlinkat(folder, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
        return;
    if (depth >= DEEP) {
        lift(top, folder, name);
        return;
    }
    int inside = beneath_open(folder, name, O_RDONLY | O_DIRECTORY);
    if (inside < 0 && errno == EACCES) {
        beneath_mode(folder, name, 0700, area_shut(carrier));
        inside = beneath_open(folder, name, O_RDONLY | O_DIRECTORY);
    }
    if (inside >= 0) {
        fchmod(inside, 0700);
        remove_in(carrier, top, inside, depth + 1);
    }
    unlinkat(folder, name, AT_REMOVEDIR);
}

static void remove_in(struct carrier *carrier, int top, int fd, unsigned depth)
{
    DIR *names = fdopendir(fd);
    struct dirent *name;
    if (!names) {
        close(fd);
        return;
    }
    while ((name = readdir(names)))
        if (strcmp(name->d_name, ".") != 0 && strcmp(name->d_name, "..") != 0)
            remove_one(carrier, top, fd, name->d_name, depth);
    closedir(names);
}

void area_remove(struct carrier *carrier, const char *name)
{
    /* Each pass takes away what is less deep than DEEP; a path is at most so deep. */
    for (int passes = 0; passes < 1000; passes++) {
        int fd = beneath_open(carrier->area, name, O_RDONLY | O_DIRECTORY);
        if (fd < 0)
            return;
        int again = dup(fd);
        remove_in(carrier, again, fd, 0);
        close(again);
        if (unlinkat(carrier->area, name, AT_REMOVEDIR) == 0)
            return;
    }
}

int area_made(int folder, const char *name)
{
    if (mkdirat(folder, name, 0700) != 0 && errno != EEXIST)
        return -1;
    return beneath_open(folder, name, O_RDONLY | O_DIRECTORY);
}

int area_stage(struct carrier *carrier)
{
    area_remove(carrier, "stage");
    return area_made(carrier->area, "stage");
}
