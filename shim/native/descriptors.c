#include "descriptors.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool descriptors_guard(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && eventfd(0, EFD_CLOEXEC) != fd)
            return false;
    return true;
}
