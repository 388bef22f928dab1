#include "left.h"

#include <poll.h>
#include <unistd.h>

#include "descriptors.h"

static void drop(int *fd, short events)
{
    char bytes[16384];
    if (*fd >= 0 && events && read(*fd, bytes, sizeof bytes) <= 0)
        descriptor_shut(fd);
}

static _Noreturn void drop_all(struct left *left)
{
    /* The streams of the gateway end with the init. */
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    while (left->out >= 0 || left->err >= 0) {
        struct pollfd polled[] = {{.fd = left->out, .events = POLLIN}, {.fd = left->err, .events = POLLIN}};
        poll(polled, 2, -1);
        drop(&left->out, polled[0].revents);
        drop(&left->err, polled[1].revents);
    }
    _exit(0);
}

void left_drop(struct left *left)
{
    if ((left->out >= 0 || left->err >= 0) && fork() == 0)
        drop_all(left);
    descriptor_shut(&left->out);
    descriptor_shut(&left->err);
}
