/* jail-probe jailed ROOT AREA UID PATH...: goes where a carrier at home goes, and says which paths it can use from there,
 * and how; and what else that a carrier never does: mounts, other users, devices.
 * jail-probe open ROOT AREA UID PATH...: the same without a jail, to see that these ways lead somewhere.
 * jail-probe calls: makes each of these calls in a process of its own under the carrier's list, and says how it ends. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "jail.h"
#include "seccomp.h"

static struct limits limits;

static void say(const char *how, const char *path, int result)
{
    struct stat status;
    if (result > 2 && fstat(result, &status) == 0)
        printf("%s %s %lu\n", how, path, (unsigned long)status.st_ino);
    else if (result >= 0)
        printf("%s %s\n", how, path);
}

static void try_path(int root, int area, const char *path)
{
    struct stat status;
    say("root", path, openat(root, path, O_RDONLY | O_CLOEXEC));
    say("root-path", path, openat(root, path, O_PATH | O_CLOEXEC));
    say("area", path, openat(area, path, O_RDONLY | O_CLOEXEC));
    say("area-path", path, openat(area, path, O_PATH | O_CLOEXEC));
    say("area-stat", path, fstatat(area, path, &status, 0));
    say("area-chmod", path, fchmodat(area, path, 0777, 0));
    say("area-rename", path, renameat(area, path, root, "stolen"));
    say("area-link", path, linkat(area, path, root, "linked", AT_SYMLINK_FOLLOW));
    say("area-chdir", path, fchdir(area) == 0 ? chdir(path) : -1);
    fchdir(root);
}

static void try_rights(int root, int area)
{
    char handle[64] = {4, 0, 0, 0, 1, 0, 0, 0, 2};
    say("mount", "proc", mount("proc", "/", "proc", 0, NULL));
    say("umount", "/", umount2("/", MNT_DETACH));
    say("chroot", ".", chroot("."));
    say("user", "0", setresuid(0, 0, 0));
    say("device", "null", mknodat(root, "null", S_IFCHR | 0666, (1 << 8) | 3));
    say("handle", "2", (int)syscall(SYS_open_by_handle_at, root, handle, O_PATH));
    /* The positive control: both folders are of use. */
    say("made", "f", openat(area, "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    say("moved", "f", renameat(area, "f", root, "f"));
}

static int reach(bool jailed, char **words)
{
    struct jail jail = {0};
    snprintf(limits.root, sizeof limits.root, "%s", words[0]);
    snprintf(limits.area, sizeof limits.area, "%s", words[1]);
    limits.uid = limits.gid = (uint32_t)atoi(words[2]);
    const char *why = jailed ? jail_enter(&jail, &limits) : NULL;
    if (!why)
        why = jail.closed == jailed ? agent_become(&limits, true) : "it is open";
    if (why) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    int root = open(jailed ? "/" : limits.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int area = jailed ? openat(jail.area, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                      : open(limits.area, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 || area < 0)
        return 2;
    for (char **path = words + 3; *path; path++)
        try_path(root, area, *path);
    try_rights(root, area);
    return 0;
}

static const struct call {
    const char *name;
    long number, arguments[6];
} calls[] = {
    {"socket", SYS_socket, {1, 1}},
    {"connect", SYS_connect, {0}},
    {"clone", SYS_clone, {SIGCHLD}},
    {"execve", SYS_execve, {0}},
    {"execveat", SYS_execveat, {0}},
    {"ptrace", SYS_ptrace, {0}},
    {"process_vm_readv", SYS_process_vm_readv, {1}},
    {"kill", SYS_kill, {-1}},
    {"tkill", SYS_tkill, {1}},
    {"mount", SYS_mount, {0}},
    {"umount2", SYS_umount2, {0}},
    {"open_tree", 428, {-1}},
    {"pivot_root", SYS_pivot_root, {0}},
    {"chroot", SYS_chroot, {0}},
    {"unshare", SYS_unshare, {CLONE_NEWUSER}},
    {"setns", SYS_setns, {-1}},
    {"setresuid", SYS_setresuid, {0}},
    {"capset", SYS_capset, {0}},
    {"prctl", SYS_prctl, {PR_SET_DUMPABLE, 1}},
    {"mknodat", SYS_mknodat, {-1}},
    {"open_by_handle_at", SYS_open_by_handle_at, {-1}},
    {"setxattr", SYS_setxattr, {0}},
    {"io_uring_setup", 425, {1}},
    {"bpf", SYS_bpf, {0}},
    {"memfd_create", SYS_memfd_create, {0}},
    {"pidfd_open", 434, {1}},
    {"fcntl F_SETOWN", SYS_fcntl, {0, F_SETOWN, 1}},
    {"fcntl F_SETSIG", SYS_fcntl, {0, F_SETSIG}},
    {"mmap PROT_EXEC", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1}},
    {"mprotect PROT_EXEC", SYS_mprotect, {0, 4096, PROT_EXEC}},
    {"a number of the future", 4000, {0}},
#ifdef __x86_64__
    {"x32 write", 0x40000001, {1}},
    {"mkdir", SYS_mkdir, {0}},
    {"arch_prctl", SYS_arch_prctl, {0x1002, 0}},
#endif
    /* Positive controls. */
    {"+ write", SYS_write, {-1}},
    {"+ openat2", SYS_openat2, {-1}},
    {"+ restart_syscall", SYS_restart_syscall, {0}},
    {"+ fcntl F_GETFL", SYS_fcntl, {0, F_GETFL}},
    {"+ mmap", SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1}},
};

static void try_call(const struct call *call)
{
    int ended;
    const long *a = call->arguments;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !seccomp_begin())
            _exit(2);
        syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
        _exit(0);
    }
    if (waitpid(child, &ended, 0) == child)
        printf("%s: %s\n", call->name, !WIFSIGNALED(ended) ? WEXITSTATUS(ended) == 0 ? "goes on" : "failed"
                                        : WTERMSIG(ended) == SIGSYS ? "killed" : "another signal");
}

int main(int count, char **words)
{
    if (count > 4)
        return reach(strcmp(words[1], "jailed") == 0, words + 2);
    for (size_t i = 0; count == 2 && i < sizeof calls / sizeof *calls; i++)
        try_call(&calls[i]);
    return 0;
}
