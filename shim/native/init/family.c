#include "family.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The parent's id from /proc/<pid>/stat, 0 if the process is gone. The name in it may contain any byte, so the code
 * reads after the last parenthesis. */
static pid_t parent_of(int proc, const char *pid)
{
    char path[32], line[512];
    size_t length = strlen(pid);
    if (length + sizeof "/stat" > sizeof path)
        return 0;
    memcpy(path, pid, length);
    memcpy(path + length, "/stat", sizeof "/stat");
    int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return 0;
    line[got] = 0;
    const char *after = strrchr(line, ')');
    return after && after[1] && after[2] ? (pid_t)strtol(after + 4, NULL, 10) : 0;
}

static void kill_children(void)
{
    DIR *proc = opendir("/proc");
    pid_t self = getpid();
    const struct dirent *entry;
    if (!proc)
        return;
    while ((entry = readdir(proc)))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && parent_of(dirfd(proc), entry->d_name) == self)
            kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
    closedir(proc);
}

void family_adopt(void)
{
    if (getpid() != 1)
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void family_kill(void)
{
    if (getpid() == 1)
        kill(-1, SIGKILL);
    else
        kill_children();
}
