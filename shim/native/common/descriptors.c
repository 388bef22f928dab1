#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

bool descriptors_guard(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && eventfd(0, EFD_CLOEXEC) != fd)
            return false;
    return true;
}

void descriptors_close_inherited(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
        return;
#endif
    /* For kernels before 5.9. The limit may be in the millions, but engines pass on only low descriptors. */
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
}

void descriptor_shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

bool descriptor_write(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}
