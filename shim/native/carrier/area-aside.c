/* An agent that was told with a wrong user leaves an area that the right one cannot use. It may hold the only copy of
 * what was kept, so it is neither removed nor handed on: it is renamed, which leads nobody into it. */
#include "area-aside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"
#include "words.h"

/* A gateway that tells one user after the other must not fill the folder. */
enum { ASIDE_MOST = 8 };

static bool aside_name(char aside[NAME_MOST + 1], const char *name, int number)
{
    int length = snprintf(aside, NAME_MOST + 1, "%s-%d", name, number);
    return length > 0 && length <= NAME_MOST;
}

/* Who has the area at this name: 0 also if there is none, or one that others may enter. */
static uint32_t owner_at(int parent, const char *name)
{
    struct stat status;
    bool area = fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode)
        && (status.st_mode & 077) == 0;
    return area ? status.st_uid : 0;
}

static bool rename_free(int parent, const char *name)
{
    char aside[NAME_MOST + 1];
    for (int number = 1; number <= ASIDE_MOST && aside_name(aside, name, number); number++) {
        if (beneath_rename(parent, name, parent, aside, RENAME_NEW) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static void give_way(int parent, const char *name)
{
    int area = beneath_open(parent, name, O_RDONLY | O_DIRECTORY);
    if (area < 0)
        return;
    /* Only a file system without locks has none. */
    if (flock(area, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        rename_free(parent, name);
    close(area);
}

static void come_back(int parent, const char *name, uint32_t uid)
{
    char aside[NAME_MOST + 1];
    for (int number = 1; number <= ASIDE_MOST && aside_name(aside, name, number); number++)
        if (owner_at(parent, aside) == uid && beneath_rename(parent, aside, parent, name, RENAME_NEW) == 0)
            return;
}

void aside_change(int parent, const char *name, uint32_t uid)
{
    uint32_t owner = owner_at(parent, name);
    if (owner == uid || uid == 0)
        return;
    if (owner != 0)
        give_way(parent, name);
    come_back(parent, name, uid);
}

bool aside_named(const char *area, const char *name)
{
    size_t length = strlen(area);
    return strncmp(name, area, length) == 0 && name[length] == '-' && name[length + 1] >= '1'
        && name[length + 1] < '1' + ASIDE_MOST && name[length + 2] == 0;
}
