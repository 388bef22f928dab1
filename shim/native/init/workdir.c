#include "workdir.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char *refuse(const char *reason, struct text *why, const char *path, const char *what)
{
    text_add(why, path);
    text_add(why, what);
    return reason;
}

/* Both are absolute and real: no links, dots or double slashes. */
static bool lies_in(const char *path, const char *root)
{
    size_t length = strlen(root);
    if (strcmp(root, "/") == 0)
        return true;
    return strncmp(path, root, length) == 0 && (path[length] == 0 || path[length] == '/');
}

const char *workdir_enter(const char *cwd, const char *workspace, struct text *why)
{
    static char real_workspace[PATH_MAX], real_cwd[PATH_MAX];
    bool compare = workspace[0] != 0;
    /* The kernel resolves both, so nobody can swap a folder between the check and the entry. */
    if (compare && (chdir(workspace) != 0 || !getcwd(real_workspace, sizeof real_workspace)))
        return refuse("cwd-missing", why, workspace, " (the workspace) cannot be entered where the command runs");
    if (chdir(cwd) != 0 || !getcwd(real_cwd, sizeof real_cwd) || real_cwd[0] != '/')
        return refuse("cwd-missing", why, cwd, " cannot be entered where the command runs");
    if (compare && !lies_in(real_cwd, real_workspace))
        return refuse("cwd-outside", why, cwd, " leads out of the workspace");
    return NULL;
}
