#include "empty.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "area.h"
#include "as-known.h"
#include "beneath.h"
#include "goes-on.h"

/* Out of the tree into a grave. */
static bool bury(const char *name, int folder, int grave)
{
    return beneath_rename(folder, name, grave, name, RENAME_NEW) == 0;
}

/* Back again; kept if it cannot go back. */
static void bring_back(struct op *op, const char *name, int folder, int grave)
{
    op->aside |= beneath_rename(grave, name, folder, name, RENAME_NEW) != 0;
}

static DIR *names_in(int folder)
{
    int fd = beneath_open(folder, "", O_RDONLY | O_DIRECTORY);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names && fd >= 0)
        close(fd);
    return names;
}

static const char *next_name(DIR *names)
{
    struct dirent *found;
    do
        found = readdir(names);
    while (found && (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0));
    return found ? found->d_name : NULL;
}

static bool has_only_special(int folder)
{
    const char *name;
    bool only = true;
    DIR *names = names_in(folder);
    while (names && only && (name = next_name(names)))
        only = is_special(folder, name);
    if (names)
        closedir(names);
    return names && only;
}

/* They hold no folder that would go. Another kind of thing may have the name by the time that it is moved. */
static void bury_special(struct op *op, int folder, int grave)
{
    const char *name;
    DIR *names = has_only_special(folder) ? names_in(folder) : NULL;
    while (names && (name = next_name(names)))
        if (bury(name, folder, grave) && !is_special(grave, name))
            bring_back(op, name, folder, grave);
    if (names)
        closedir(names);
}

/* All that changed of a folder may be its time, because of what was made or removed in it. */
static bool changed_here(const struct entry *entry)
{
    struct record base, now = entry_now(entry);
    if (!entry_base(entry, &base))
        return false;
    if (entry_had_folder(entry))
        base.mtime = now.mtime;
    return !record_same(&base, &now);
}

static void empty_below(struct carrier *carrier, struct op *op, const struct entry *folder, int fd, int grave)
{
    for (const struct entry *child = entry_child(folder); child; child = entry_next(child)) {
        if (!entry_alive(child) || changed_here(child))
            continue;
        goes_on(carrier);
        if (child->type != TYPE_FOLDER) {
            /* Somebody may have written since it was judged. */
            if (bury(child->name, fd, grave) && !as_known(carrier, child, grave, child->name))
                bring_back(op, child->name, fd, grave);
            continue;
        }
        int inside = beneath_open(fd, child->name, O_RDONLY | O_DIRECTORY);
        int below = inside < 0 ? -1 : area_made(grave, child->name);
        if (below >= 0)
            empty_below(carrier, op, child, inside, below);
        if (below >= 0)
            close(below);
        if (inside >= 0)
            close(inside);
        unlinkat(fd, child->name, AT_REMOVEDIR);
    }
    bury_special(op, fd, grave);
}

static void empty(struct carrier *carrier, struct op *op, const struct entry *entry, int fd)
{
    char name[16];
    snprintf(name, sizeof name, "e%u", (unsigned)(op - carrier->receiving->ops));
    int grave = area_made(carrier->receiving->stage, name);
    if (grave < 0)
        return;
    op->out = OUT_EMPTIED;
    empty_below(carrier, op, entry, fd, grave);
    close(grave);
}

void move_empty(struct carrier *carrier, struct op *op)
{
    const char *name;
    const struct entry *entry = living(carrier, op->path);
    int folder = way_to(&carrier->receiving->live, carrier->root, op->path, &name);
    int fd = entry && folder >= 0 ? beneath_open(folder, name, O_RDONLY | O_DIRECTORY) : -1;
    /* At home each entry has an op of its own. */
    if (fd >= 0 && carrier->limits.replica)
        empty(carrier, op, entry, fd);
    if (fd >= 0)
        close(fd);
    op->done = folder < 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
    if (!op->done)
        op->verdict = IN_CONFLICT;
}
