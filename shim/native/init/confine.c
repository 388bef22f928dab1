#include "confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* The numbers of calls in one way to call. `missing`: io_uring_setup, io_setup and, as it hides its arguments,
 * socketcall. `of_process`: sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr and prlimit64. */
enum { MISSING = 3, OF_PROCESS = 5 };
struct calls {
    unsigned missing[MISSING], socket, of_process[OF_PROCESS], setpriority, ioprio_set;
};

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#define COMPAT_ARCH AUDIT_ARCH_I386
/* The third is io_setup of x32, without the bit that says so; no other architecture has such a number. */
static const struct calls native = {{425, 206, 543}, 41, {142, 144, 203, 314, 302}, 141, 251};
static const struct calls compat = {{425, 245, 102}, 359, {154, 156, 241, 351, 340}, 97, 289};
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#define COMPAT_ARCH AUDIT_ARCH_ARM
/* There is no third one. */
static const struct calls native = {{425, 0, 0}, 198, {118, 119, 122, 274, 261}, 140, 30};
static const struct calls compat = {{425, 243, 102}, 281, {154, 156, 241, 380, 369}, 97, 314};
#else
#error "confine: which numbers has socket(2) here?"
#endif
enum { X32_BIT = 0x40000000, IOPRIO_WHO_PROCESS = 1, RULES_MOST = 192 };

static struct sock_filter rules[RULES_MOST];
static unsigned short count;

static void put(unsigned code, unsigned value, unsigned yes, unsigned no)
{
    rules[count++] = (struct sock_filter)BPF_JUMP((unsigned short)code, value, (unsigned char)yes, (unsigned char)no);
}

static void load(unsigned offset)
{
    put(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void answer(unsigned action)
{
    put(BPF_RET | BPF_K, action, 0, 0);
}

/* The next `lines` are for this value only. */
static void if_equal(unsigned value, unsigned lines)
{
    put(BPF_JMP | BPF_JEQ | BPF_K, value, 0, lines);
}

static void allow(void)
{
    answer(SECCOMP_RET_ALLOW);
}

static void refuse(unsigned error)
{
    answer(SECCOMP_RET_ERRNO | error);
}

/* io_uring_setup also makes sockets, and of io_setup one table (fs.aio-max-nr) serves all containers of a kernel. */
static void refuse_missing(const unsigned *calls)
{
    for (size_t i = 0; i < MISSING; i++) {
        if_equal(calls[i], 1);
        refuse(ENOSYS);
    }
}

static void refuse_vsock(unsigned socket)
{
    if_equal(socket, 4);
    load(offsetof(struct seccomp_data, args[0]));
    if_equal(AF_VSOCK, 1);
    refuse(EAFNOSUPPORT);
    allow();
}

/* 5 lines: what is asked for is the container's first process, or the init that waits for this tool. */
static void allow_others(unsigned argument, unsigned init)
{
    load(argument);
    put(BPF_JMP | BPF_JEQ | BPF_K, 1, 2, 0);
    put(BPF_JMP | BPF_JEQ | BPF_K, init, 1, 0);
    allow();
    refuse(EPERM);
}

/* An init that hardly runs enforces no timeout, and a container does not end before its first process. The kernel asks for
 * the same user only. */
static void keep_pace(const unsigned *calls, unsigned init)
{
    for (size_t i = 0; i < OF_PROCESS; i++) {
        if_equal(calls[i], 5);
        allow_others(offsetof(struct seccomp_data, args[0]), init);
    }
}

/* Of one process only: a tool can join its init's group, and has its init's user. */
static void keep_priority(unsigned call, unsigned of_process, unsigned init)
{
    if_equal(call, 8);
    load(offsetof(struct seccomp_data, args[0]));
    put(BPF_JMP | BPF_JEQ | BPF_K, of_process, 1, 0);
    refuse(EPERM);
    allow_others(offsetof(struct seccomp_data, args[1]), init);
}

/* Of the call whose number is loaded. */
static void put_rules(const struct calls *calls, unsigned init)
{
    refuse_missing(calls->missing);
    refuse_vsock(calls->socket);
    keep_pace(calls->of_process, init);
    keep_priority(calls->setpriority, PRIO_PROCESS, init);
    keep_priority(calls->ioprio_set, IOPRIO_WHO_PROCESS, init);
    allow();
}

static void make_rules(unsigned init)
{
    load(offsetof(struct seccomp_data, arch));
    put(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 0, 0);
    struct sock_filter *is_native = &rules[count - 1];
    load(offsetof(struct seccomp_data, nr));
    put(BPF_ALU | BPF_AND | BPF_K, ~(unsigned)X32_BIT, 0, 0);
    put_rules(&native, init);
    is_native->jf = (unsigned char)(&rules[count] - is_native - 1);
    if_equal(COMPAT_ARCH, 1);
    put(BPF_JMP | BPF_JA, 1, 0, 0);
    refuse(ENOSYS);
    load(offsetof(struct seccomp_data, nr));
    put_rules(&compat, init);
}

int confine_self(void)
{
    make_rules((unsigned)getppid());
    struct sock_fprog program = {.len = count, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}
