#include "environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char jail_directory[] = "/clawrden/bin";

const char *environment_value(char *const *env, const char *name)
{
    size_t length = strlen(name);
    for (; *env; env++)
        if (strncmp(*env, name, length) == 0 && (*env)[length] == '=')
            return *env + length + 1;
    return NULL;
}

static int is_jail(const char *directory, size_t length)
{
    while (length > 1 && directory[length - 1] == '/')
        length--;
    return length == sizeof jail_directory - 1 && memcmp(directory, jail_directory, length) == 0;
}

static char *path_without_jail(const char *path)
{
    char *kept = path ? malloc(strlen(path) + 1) : NULL;
    size_t used = 0;
    for (const char *end; kept; path = end + 1) {
        end = strchrnul(path, ':');
        size_t length = (size_t)(end - path);
        if (!is_jail(path, length)) {
            memcpy(kept + used, path, length);
            used += length;
            kept[used++] = ':';
        }
        if (*end == 0) {
            kept[used > 0 ? used - 1 : 0] = 0;
            break;
        }
    }
    return kept;
}

static char *assignment(const char *name, const char *value)
{
    size_t name_length = strlen(name), value_length = strlen(value);
    char *made = malloc(name_length + value_length + 2);
    if (!made)
        return NULL;
    memcpy(made, name, name_length);
    made[name_length] = '=';
    memcpy(made + name_length + 1, value, value_length + 1);
    return made;
}

static int names_current_directory(const char *path)
{
    struct stat named, current;
    return path[0] == '/' && stat(path, &named) == 0 && stat(".", &current) == 0 && named.st_dev == current.st_dev
        && named.st_ino == current.st_ino;
}

static size_t add_own(char **made, size_t count, char *const *planned, const char *name, const char *value)
{
    if (value && !environment_value(planned, name) && (made[count] = assignment(name, value)))
        count++;
    return count;
}

char **environment_make(char *const *planned, char *const *own, int mirror)
{
    size_t count = 0;
    while (planned[count])
        count++;
    char **made = calloc(count + 3, sizeof *made);
    if (!made)
        return NULL;
    count = 0;
    if (mirror) {
        count = add_own(made, count, planned, "PATH", path_without_jail(environment_value(own, "PATH")));
        count = add_own(made, count, planned, "HOME", environment_value(own, "HOME"));
    }
    for (; *planned; planned++)
        if (strncmp(*planned, "PWD=", 4) != 0 || names_current_directory(*planned + 4))
            made[count++] = *planned;
    return made;
}
