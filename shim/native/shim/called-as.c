#include "called-as.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "request.h"

/* The kernel puts interpreters and their options before the script. This is more than its nesting limit. */
enum { INTERPRETERS_MOST = 12 };

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool leads_here(const char *path)
{
    struct stat there, here;
    return stat(path, &there) == 0 && stat("/proc/self/exe", &here) == 0 && there.st_dev == here.st_dev
        && there.st_ino == here.st_ino;
}

/* `#!/clawrden/bin/node`: the kernel was asked for the script, and put the link before it. */
static bool interprets(char *const *argv, const char *asked_for)
{
    if (!strchr(argv[0], '/') || !leads_here(argv[0]))
        return false;
    for (int i = 1; i < INTERPRETERS_MOST && argv[i]; i++)
        if (strcmp(argv[i], asked_for) == 0)
            return true;
    return false;
}

bool called_as_linked(char *const *argv, struct text *why)
{
    const char *asked_for = (const char *)getauxval(AT_EXECFN);
    const char *tool = request_tool(argv);
    if (!asked_for || strcmp(name_in(asked_for), tool) == 0 || (argv[0] && interprets(argv, asked_for)))
        return true;
    text_add(why, "it was started by the link ");
    text_add(why, name_in(asked_for));
    text_add(why, " and calls itself ");
    text_add(why, tool);
    text_add(why, "; start it by the name of the tool");
    return false;
}
