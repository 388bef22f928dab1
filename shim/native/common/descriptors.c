#include "descriptors.h"

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
