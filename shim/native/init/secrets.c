#include "secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "descriptors.h"

int secrets_write(char *const *files)
{
    for (; files[0]; files += 2) {
        int fd = open(files[0], O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
        if (fd < 0)
            return errno;
        int error = descriptor_write(fd, files[1], strlen(files[1])) ? 0 : errno;
        close(fd);
        if (error != 0)
            return error;
    }
    return 0;
}
