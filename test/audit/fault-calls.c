/* Preloaded into a process: spoils the n-th call that it makes on the folder FAULT_FOLDER or on its files whose names begin
 * with FAULT_NAME, of the calls that write, open or name something. FAULT_KIND: the name of an error, which FAULT_FOR calls in a row get; kill:
 * SIGKILL in its place; torn: the same after half of a write. Without FAULT_AT calls are counted, and their number is
 * in FAULT_COUNT at the end. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;

static int error_of(const char *kind)
{
    if (strcmp(kind, "EIO") == 0)
        return EIO;
    return strcmp(kind, "ENOSPC") == 0 ? ENOSPC : EMFILE;
}

static void die(void)
{
    kill(getpid(), SIGKILL);
    pause();
}

static bool is_meant(const char *path)
{
    const char *folder = getenv("FAULT_FOLDER"), *name = getenv("FAULT_NAME");
    if (folder == NULL || strncmp(path, folder, strlen(folder)) != 0)
        return false;
    path += strlen(folder);
    return *path == 0 || (*path == '/' && strncmp(path + 1, name, strlen(name)) == 0);
}

/* -1 with errno set if this call must fail; 1 if half of it must be done before the end. */
static int spoil(const char *path)
{
    const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
    if (!is_meant(path))
        return 0;
    int n = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (at == NULL || n < atoi(at))
        return 0;
    if (strcmp(kind, "torn") == 0)
        return n == atoi(at);
    if (strcmp(kind, "kill") == 0)
        die();
    if (n >= atoi(at) + atoi(getenv("FAULT_FOR")))
        return 0;
    errno = error_of(kind);
    return -1;
}

static int spoil_fd(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return spoil(path);
}

static void tell(void) __attribute__((destructor));
static void tell(void)
{
    const char *file = getenv("FAULT_COUNT");
    FILE *out = file == NULL ? NULL : fopen(file, "w");
    if (out == NULL)
        return;
    fprintf(out, "%d", calls);
    fclose(out);
}

/* half: what a torn call does first. */
#define SPOILED(spoilt, half) \
    do { \
        int how = (spoilt); \
        if (how < 0) \
            return -1; \
        if (how > 0) { \
            half; \
            die(); \
        } \
    } while (0)

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name); \
        SPOILED(spoil(path), (void)0); \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define PWRITE(name) \
    ssize_t name(int fd, const void *bytes, size_t size, off64_t at) \
    { \
        ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, #name); \
        SPOILED(spoil_fd(fd), (void)!real(fd, bytes, size / 2, at)); \
        return real(fd, bytes, size, at); \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define TRUNCATE(name) \
    int name(int fd, off64_t size) \
    { \
        int (*real)(int, off64_t) = dlsym(RTLD_NEXT, #name); \
        SPOILED(spoil_fd(fd), (void)0); \
        return real(fd, size); \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define SYNC(name) \
    int name(int fd) \
    { \
        int (*real)(int) = dlsym(RTLD_NEXT, #name); \
        SPOILED(spoil_fd(fd), (void)0); \
        return real(fd); \
    }
SYNC(fsync)
SYNC(fdatasync)

#define RENAME(name) \
    int name(const char *from, const char *to) \
    { \
        int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, #name); \
        SPOILED(spoil(from), (void)0); \
        return real(from, to); \
    }
RENAME(rename)
RENAME(link)

int unlink(const char *path)
{
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    SPOILED(spoil(path), (void)0);
    return real(path);
}
