#include "passthrough.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "ending.h"
#include "environment.h"
#include "request.h"
#include "search.h"
#include "text.h"

static struct avoid what_to_avoid(void)
{
    struct avoid avoid = {0};
    /* Without /proc, use the name by which the kernel was asked for this program. */
    const char *self = (const char *)getauxval(AT_EXECFN);
    avoid.shim_known = stat("/proc/self/exe", &avoid.shim) == 0 || (self && stat(self, &avoid.shim) == 0);
    avoid.directory_known = stat("/clawrden/bin", &avoid.directory) == 0;
    return avoid;
}

static _Noreturn void fail(const char *reason, const char *tool, const char *what)
{
    struct text why = {0};
    text_add(&why, tool);
    text_add(&why, ": ");
    text_add(&why, what);
    ending_own(reason, why.bytes);
}

void passthrough(const struct caller *caller, char **argv, char **env)
{
    char found[PATH_MAX];
    const char *tool = request_tool(argv);
    const char *path = environment_value(env, "PATH");
    struct avoid avoid = what_to_avoid();
    int error = search_original(tool, path ? path : default_path, &avoid, found);
    if (error == ENOENT)
        fail("not-found", tool, "no original of it is on PATH");
    if (error != 0)
        fail("not-executable", tool, "its original may not be executed");
    if ((caller->ignored >> (SIGPIPE - 1) & 1) == 0)
        signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &caller->blocked, NULL);
    if (argv[0])
        argv[0] = (char *)tool;
    execve(found, argv, env);
    fail("not-executable", found, errno == ENOENT ? "the interpreter that it asks for does not exist" : strerror(errno));
}
