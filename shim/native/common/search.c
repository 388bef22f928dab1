#include "search.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char default_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool join(char joined[PATH_MAX], const char *directory, size_t length, const char *name)
{
    size_t name_length = strlen(name);
    if (length + 1 + name_length >= PATH_MAX)
        return false;
    memcpy(joined, directory, length);
    joined[length] = 0;
    if (length > 0)
        joined[length++] = '/';
    memcpy(joined + length, name, name_length + 1);
    return true;
}

static bool avoided_directory(const char *directory, size_t length, const struct avoid *avoid)
{
    char path[PATH_MAX];
    struct stat found;
    if (!avoid || !avoid->directory_known || length == 0 || !join(path, directory, length, "."))
        return false;
    return stat(path, &found) == 0 && same_file(&found, &avoid->directory);
}

/* 0, ENOENT or EACCES, as the kernel would answer an exec of `path`. */
static int executable(const char *path, const struct avoid *avoid)
{
    struct stat found;
    if (stat(path, &found) != 0)
        return errno == EACCES ? EACCES : ENOENT;
    if (avoid && avoid->shim_known && same_file(&found, &avoid->shim))
        return ENOENT;
    return S_ISREG(found.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

int search_path(const char *name, const char *path, const struct avoid *avoid, char found[PATH_MAX])
{
    int result = ENOENT;
    if (name[0] == 0)
        return ENOENT;
    if (strchr(name, '/'))
        return join(found, "", 0, name) ? executable(found, NULL) : ENOENT;
    for (const char *end; ; path = end + 1) {
        end = strchrnul(path, ':');
        size_t length = (size_t)(end - path);
        if (!avoided_directory(path, length, avoid) && join(found, path, length, name)) {
            int error = executable(found, avoid);
            if (error == 0)
                return 0;
            if (error == EACCES)
                result = EACCES;
        }
        if (*end == 0)
            return result;
    }
}

int search_original(const char *name, const char *path, const struct avoid *avoid, char found[PATH_MAX])
{
    static const char suffix[] = ".original";
    char locked[PATH_MAX];
    size_t length = strlen(name);
    if (length + sizeof suffix > sizeof locked)
        return ENOENT;
    memcpy(locked, name, length);
    memcpy(locked + length, suffix, sizeof suffix);
    int locked_error = search_path(locked, path, avoid, found);
    if (locked_error == 0)
        return 0;
    int error = search_path(name, path, avoid, found);
    return error == ENOENT ? locked_error : error;
}
