#include "secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int write_all(int fd, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t written = write(fd, text, left);
        if (written < 0 && errno != EINTR)
            return errno;
        if (written > 0) {
            text += written;
            left -= (size_t)written;
        }
    }
    return 0;
}

int secrets_write(char *const *files)
{
    for (; files[0]; files += 2) {
        int fd = open(files[0], O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
        if (fd < 0)
            return errno;
        int error = write_all(fd, files[1]);
        close(fd);
        if (error != 0)
            return error;
    }
    return 0;
}
