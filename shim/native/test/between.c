/* For tests: a carrier in whose tree things happen right before its n-th look at it or change of it. The file that
 * CLAWRDEN_STEPS names is shared with the test, which writes it while the carrier waits: `struct script`. A process of
 * its own does what is asked, because the carrier is in a jail by then. Its clock may go faster. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STEPS = 8, PATH = 248 };

struct step {
    /* Before this call, the first is 0; or the error. */
    uint32_t at;
    uint32_t what;
    char path[PATH], to[PATH];
};

struct script {
    uint32_t calls, count;
    struct step steps[STEPS];
    /* The step that is asked for + 1; 0 once it is done. */
    _Atomic uint32_t asked;
};

static struct script *script;
/* A file that nobody else opens until it is given back, or the kernel takes it after 45 s. */
static int leased = -1;
/* How much faster its clock goes: CLAWRDEN_HASTE. */
static int haste = 1;
/* How many seconds it is ahead of the clock that stamps files: CLAWRDEN_AHEAD. */
static int64_t ahead;

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static void write_to(const char *path)
{
    FILE *file = fopen(path, "ae");
    if (!file)
        return;
    fputs("more", file);
    fclose(file);
}

static void act(const struct step *step)
{
    switch (step->what) {
    case 'r':
        rename(step->path, step->to);
        break;
    case 'x':
        renameat2(AT_FDCWD, step->path, AT_FDCWD, step->to, RENAME_EXCHANGE);
        break;
    case 'm':
        mkdir(step->path, 0755);
        break;
    case 'w':
        write_to(step->path);
        break;
    case 's':
        usleep((useconds_t)strtoul(strrchr(step->path, '/') + 1, NULL, 10) * 1000);
        break;
    case 'l':
        leased = open(step->path, O_RDONLY | O_CLOEXEC);
        fcntl(leased, F_SETLEASE, F_WRLCK);
        break;
    case 'b':
        close(leased);
        break;
    case 'e':
        /* Nobody is left who would say that it is done. */
        script->asked = 0;
        kill(getppid(), SIGKILL);
        break;
    case 'd':
        nftw(step->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        break;
    }
}

static void wait_while(uint32_t value)
{
    while (script->asked == value)
        syscall(SYS_futex, &script->asked, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void say(uint32_t value)
{
    script->asked = value;
    syscall(SYS_futex, &script->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void act_on_demand(pid_t carrier)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* If it was killed before that, the next one has a process of its own, which this one must not answer for. */
    if (getppid() != carrier)
        _exit(0);
    /* So the kernel says that somebody waits for what is leased. */
    signal(SIGIO, SIG_IGN);
    for (int fd = 0; fd <= 2; fd++)
        close(fd);
    for (;;) {
        wait_while(0);
        act(&script->steps[script->asked - 1]);
        say(0);
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("CLAWRDEN_STEPS");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    script = mmap(NULL, sizeof *script, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (script == MAP_FAILED)
        exit(1);
    if (getenv("CLAWRDEN_HASTE"))
        haste = atoi(getenv("CLAWRDEN_HASTE"));
    if (getenv("CLAWRDEN_AHEAD"))
        ahead = atoi(getenv("CLAWRDEN_AHEAD"));
    pid_t carrier = getpid();
    if (fork() == 0)
        act_on_demand(carrier);
}

static void between(void)
{
    int before = errno;
    for (uint32_t i = 0; i < script->count && i < STEPS; i++)
        if (script->steps[i].at == script->calls && !strchr("fonak", (int)script->steps[i].what)) {
            say(i + 1);
            do
                wait_while(i + 1);
            while (script->steps[i].what == 'e');
        }
    script->calls++;
    errno = before;
}

/* The error that this name ends with if it is looked at (f), opened (o), read as a link (k), listed (n)
 * or asked for attributes (a); or 0. */
static int fails(char how, const char *name)
{
    for (uint32_t i = 0; i < script->count && i < STEPS; i++)
        if (script->steps[i].what == (uint32_t)how && strcmp(script->steps[i].path, name) == 0)
            return errno = (int)script->steps[i].at;
    return 0;
}

#define BETWEEN(type, name, args, ...) \
    type __real_##name args; \
    type __wrap_##name args; \
    type __wrap_##name args \
    { \
        between(); \
        return __real_##name(__VA_ARGS__); \
    }

#define BETWEEN_OR_FAILS(name, args, failed, ...) \
    int __real_##name args; \
    int __wrap_##name args; \
    int __wrap_##name args \
    { \
        between(); \
        return failed ? -1 : __real_##name(__VA_ARGS__); \
    }

BETWEEN_OR_FAILS(fstatat, (int folder, const char *name, struct stat *status, int flags), fails('f', name), folder, name, status, flags)
BETWEEN_OR_FAILS(beneath_open, (int folder, const char *path, int flags), fails('f', path) || fails('o', path), folder, path, flags)
BETWEEN(int, beneath_mode, (int folder, const char *name, mode_t mode, bool follows), folder, name, mode, follows)
BETWEEN(int, beneath_rename, (int from, const char *name, int to, const char *new_name, unsigned how), from, name, to, new_name, how)
BETWEEN(int, inotify_add_watch, (int notify, const char *path, uint32_t mask), notify, path, mask)
BETWEEN(int, unlinkat, (int folder, const char *name, int flags), folder, name, flags)
BETWEEN(int, mkdirat, (int folder, const char *name, mode_t mode), folder, name, mode)

struct dirent *__real_readdir(DIR *names);
struct dirent *__wrap_readdir(DIR *names);
struct dirent *__wrap_readdir(DIR *names)
{
    between();
    struct dirent *name = __real_readdir(names);
    return name && fails('n', name->d_name) ? NULL : name;
}

ssize_t __real_readlinkat(int folder, const char *name, char *text, size_t size);
ssize_t __wrap_readlinkat(int folder, const char *name, char *text, size_t size);
ssize_t __wrap_readlinkat(int folder, const char *name, char *text, size_t size)
{
    between();
    return fails('k', name) ? -1 : __real_readlinkat(folder, name, text, size);
}

ssize_t __real_flistxattr(int fd, char *list, size_t size);
ssize_t __wrap_flistxattr(int fd, char *list, size_t size);
ssize_t __wrap_flistxattr(int fd, char *list, size_t size)
{
    return fails('a', "") ? -1 : __real_flistxattr(fd, list, size);
}

int64_t __real_now_ns(void);
int64_t __wrap_now_ns(void);
int64_t __wrap_now_ns(void)
{
    return __real_now_ns() + ahead * 1000000000;
}

int64_t __real_monotonic_ms(void);
int64_t __wrap_monotonic_ms(void);
int64_t __wrap_monotonic_ms(void)
{
    return __real_monotonic_ms() * haste;
}

struct carrier;
int __real_background_wait_ms(const struct carrier *carrier);
int __wrap_background_wait_ms(const struct carrier *carrier);
int __wrap_background_wait_ms(const struct carrier *carrier)
{
    int wait = __real_background_wait_ms(carrier);
    return wait < 0 ? wait : (wait + haste - 1) / haste;
}
