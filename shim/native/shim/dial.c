#include "dial.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"

enum { CONNECT_MS = 5000, PAUSE_FIRST_MS = 5, PAUSE_MOST_MS = 100 };

static bool worth_waiting(int error)
{
    return error == ENOENT || error == ECONNREFUSED || error == EAGAIN;
}

static int try_once(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static void explain(struct text *why, const char *path, int error)
{
    text_add(why, "the relay's socket ");
    text_add(why, path);
    text_add(why, " does not answer (");
    text_add(why, strerror(error));
    text_add(why, "); is the relay running and its directory mounted?");
}

int dial(const char *path, int signals, struct text *why)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int64_t deadline = clock_ms() + CONNECT_MS;
    int pause = PAUSE_FIRST_MS;
    int fd;
    if (strlen(path) >= sizeof address.sun_path) {
        explain(why, path, ENAMETOOLONG);
        return -1;
    }
    strcpy(address.sun_path, path);
    while ((fd = try_once(&address)) < 0 && worth_waiting(errno) && clock_ms() < deadline) {
        struct pollfd signaled = {.fd = signals, .events = POLLIN};
        if (poll(&signaled, 1, pause) > 0) {
            errno = EINTR;
            return -1;
        }
        pause = pause * 2 < PAUSE_MOST_MS ? pause * 2 : PAUSE_MOST_MS;
    }
    if (fd < 0)
        explain(why, path, errno);
    return fd;
}
