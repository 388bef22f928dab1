/* What is not in these lists ends the process: an error could be taken for one of the tree's, and what is half done
 * would be told as done. A kill is one of the ends that an exchange is made for, and the kernel logs the call's number. */
#include "seccomp.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "seccomp: which calls has this architecture?"
#endif

/* Not every C library names it. */
enum { SYS_FCHMODAT2 = 452 };

static const uint32_t calls[] = {
    /* the stream, and time */
    SYS_read, SYS_write, SYS_close, SYS_dup, SYS_ppoll, SYS_clock_gettime, SYS_getrandom,
    /* ways into the tree */
    SYS_openat, SYS_openat2, SYS_fchdir, SYS_newfstatat, SYS_fstat, SYS_readlinkat, SYS_getdents64,
    SYS_fstatfs,
    /* bytes */
    SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_ftruncate, SYS_fdatasync, SYS_sync_file_range,
    /* what is made, moved and removed */
    SYS_mkdirat, SYS_symlinkat, SYS_linkat, SYS_unlinkat, SYS_renameat, SYS_renameat2,
    /* owner, mode, times, attributes */
    SYS_fchown, SYS_fchownat, SYS_fchmod, SYS_fchmodat, SYS_FCHMODAT2, SYS_utimensat,
    SYS_fgetxattr, SYS_fsetxattr, SYS_flistxattr, SYS_fremovexattr,
    /* what is told of the tree */
    SYS_inotify_add_watch, SYS_inotify_rm_watch,
    /* memory; a poll that goes on after SIGCONT; the end */
    SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_restart_syscall, SYS_rt_sigreturn, SYS_exit, SYS_exit_group,
#ifdef __x86_64__
    /* older calls, which its C libraries make */
    SYS_poll, SYS_stat,
#endif
#ifdef __SANITIZE_ADDRESS__
    /* glibc's qsort; a sanitizer's report */
    SYS_sysinfo,
    SYS_futex, SYS_sched_yield, SYS_getpid, SYS_gettid, SYS_sigaltstack, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_ioctl, SYS_prlimit64,
#ifdef __x86_64__
    SYS_open, SYS_readlink,
#endif
#endif
};

/* Of these only with such arguments: no signals are asked for but a lease's, which is not heeded, and no memory is to be
 * executed. */
static const uint32_t fcntl_commands[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_SETLEASE};
static const uint32_t of_memory[] = {SYS_mmap, SYS_mprotect};

enum { LINES_MOST = 256, ARCH = offsetof(struct seccomp_data, arch), NUMBER = offsetof(struct seccomp_data, nr) };
enum { LOAD = BPF_LD | BPF_W | BPF_ABS, EQUAL = BPF_JMP | BPF_JEQ | BPF_K, ANY_BIT = BPF_JMP | BPF_JSET | BPF_K };

struct filter {
    uint16_t count;
    struct sock_filter lines[LINES_MOST];
};

static void add(struct filter *filter, uint16_t code, uint32_t value, uint8_t yes, uint8_t no)
{
    filter->lines[filter->count++] = (struct sock_filter){code, yes, no, value};
}

static void answer(struct filter *filter, uint32_t action)
{
    add(filter, BPF_RET | BPF_K, action, 0, 0);
}

/* The low half of an argument: all of an int, and all bits that a protection has. */
static uint32_t argument(int number)
{
    return (uint32_t)(offsetof(struct seccomp_data, args) + (size_t)number * sizeof(uint64_t));
}

static void allow_each(struct filter *filter, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add(filter, EQUAL, values[i], 0, 1);
        answer(filter, SECCOMP_RET_ALLOW);
    }
}

static void allow_fcntl(struct filter *filter)
{
    size_t count = sizeof fcntl_commands / sizeof *fcntl_commands;
    add(filter, EQUAL, SYS_fcntl, 0, (uint8_t)(2 * count + 2));
    add(filter, LOAD, argument(1), 0, 0);
    allow_each(filter, fcntl_commands, count);
    answer(filter, SECCOMP_RET_KILL_PROCESS);
}

static void allow_memory(struct filter *filter, uint32_t call)
{
    add(filter, EQUAL, call, 0, 4);
    add(filter, LOAD, argument(2), 0, 0);
    add(filter, ANY_BIT, PROT_EXEC, 0, 1);
    answer(filter, SECCOMP_RET_KILL_PROCESS);
    answer(filter, SECCOMP_RET_ALLOW);
}

bool seccomp_begin(void)
{
    static struct filter filter;
    _Static_assert(2 * sizeof calls / sizeof *calls + 40 < LINES_MOST, "the filter is too long");
    filter.count = 0;
    add(&filter, LOAD, ARCH, 0, 0);
    add(&filter, EQUAL, NATIVE, 1, 0);
    answer(&filter, SECCOMP_RET_KILL_PROCESS);
    add(&filter, LOAD, NUMBER, 0, 0);
    allow_each(&filter, calls, sizeof calls / sizeof *calls);
    allow_fcntl(&filter);
    for (size_t i = 0; i < sizeof of_memory / sizeof *of_memory; i++)
        allow_memory(&filter, of_memory[i]);
    answer(&filter, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {.len = filter.count, .filter = filter.lines};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
