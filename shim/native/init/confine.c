#include "confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* socket, io_uring_setup (which also makes sockets) and io_setup (one table, fs.aio-max-nr, serves all containers of a
 * kernel), by architecture. socketcall hides its arguments, so it is refused. */
#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#define COMPAT_ARCH AUDIT_ARCH_I386
enum { NATIVE_SOCKET = 41, COMPAT_SOCKET = 359, COMPAT_SOCKETCALL = 102 };
enum { NATIVE_IO_SETUP = 206, COMPAT_IO_SETUP = 245 };
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#define COMPAT_ARCH AUDIT_ARCH_ARM
enum { NATIVE_SOCKET = 198, COMPAT_SOCKET = 281, COMPAT_SOCKETCALL = 102 };
enum { NATIVE_IO_SETUP = 0, COMPAT_IO_SETUP = 243 };
#else
#error "confine: which numbers has socket(2) here?"
#endif
/* Of x32 without its bit; no other architecture has such a number. */
enum { X32_BIT = 0x40000000, X32_IO_SETUP = 543, IO_URING_SETUP = 425 };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (action))

/* Jumps count from the next line; the labels in the comments mark their targets. */
static struct sock_filter rules[] = {
    LOAD(arch),
    IF_EQUAL(NATIVE_ARCH, 0, 7),
    LOAD(nr),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(unsigned)X32_BIT),
    IF_EQUAL(NATIVE_SOCKET, 11, 0), /* family */
    IF_EQUAL(IO_URING_SETUP, 14, 0), /* missing */
    IF_EQUAL(NATIVE_IO_SETUP, 13, 0), /* missing */
    IF_EQUAL(X32_IO_SETUP, 12, 0), /* missing */
    ANSWER(SECCOMP_RET_ALLOW),
    IF_EQUAL(COMPAT_ARCH, 0, 10), /* else missing */
    LOAD(nr),
    IF_EQUAL(COMPAT_SOCKET, 4, 0), /* family */
    IF_EQUAL(COMPAT_SOCKETCALL, 7, 0), /* missing */
    IF_EQUAL(IO_URING_SETUP, 6, 0), /* missing */
    IF_EQUAL(COMPAT_IO_SETUP, 5, 0), /* missing */
    ANSWER(SECCOMP_RET_ALLOW),
    /* family */
    LOAD(args[0]),
    IF_EQUAL(AF_VSOCK, 0, 1),
    ANSWER(SECCOMP_RET_ERRNO | EAFNOSUPPORT),
    ANSWER(SECCOMP_RET_ALLOW),
    /* missing */
    ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
};

int confine_self(void)
{
    struct sock_fprog program = {.len = sizeof rules / sizeof rules[0], .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}
