#include "try.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "text.h"

enum { LISTEN_PORT = 3128, TRIED_MOST = 256, MS_MOST = 60000 };

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static struct pollfd tried[TRIED_MOST];

static long number(const char *text, long most)
{
    char *end;
    long value = strtol(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == 0 && value <= most ? value : -1;
}

static socklen_t read_address(union address *to, const char *host, long port)
{
    memset(to, 0, sizeof *to);
    if (inet_pton(AF_INET, host, &to->four.sin_addr) == 1) {
        to->four.sin_family = AF_INET;
        to->four.sin_port = htons((uint16_t)port);
        return sizeof to->four;
    }
    if (inet_pton(AF_INET6, host, &to->six.sin6_addr) == 1) {
        to->six.sin6_family = AF_INET6;
        to->six.sin6_port = htons((uint16_t)port);
        return sizeof to->six;
    }
    return 0;
}

/* -1 if there is no way there at all. */
static int begin(const union address *to, socklen_t size)
{
    int fd = socket(to->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, &to->any, size) != 0 && errno != EINPROGRESS) {
        close(fd);
        return -1;
    }
    return fd;
}

static void tell(char **words, size_t at)
{
    int error = 0;
    socklen_t size = sizeof error;
    struct text line = {0};
    if (getsockopt(tried[at].fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) {
        text_add(&line, words[1 + 2 * at]);
        text_add(&line, " ");
        text_add(&line, words[2 + 2 * at]);
        text_add(&line, "\n");
        if (write(1, line.bytes, line.length) < 0)
            _exit(1);
    }
    close(tried[at].fd);
    tried[at].fd = -1;
}

/* Nobody has to accept: the kernel answers for us. */
static void listen_here(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(LISTEN_PORT)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) != 0 || listen(fd, 16) != 0)
        _exit(1);
}

int try_all(int count, char **words)
{
    long ms = count > 0 ? number(words[0], MS_MOST) : -1;
    size_t many = (size_t)(count - 1) / 2;
    if (ms <= 0 || count % 2 == 0 || many > TRIED_MOST)
        return 2;
    listen_here();
    for (size_t i = 0; i < many; i++) {
        union address to;
        long port = number(words[2 + 2 * i], 65535);
        socklen_t size = port > 0 ? read_address(&to, words[1 + 2 * i], port) : 0;
        if (size == 0)
            return 2;
        tried[i] = (struct pollfd){.fd = begin(&to, size), .events = POLLOUT};
    }
    for (int64_t until = clock_ms() + ms; poll_timeout(until) > 0;)
        if (poll(tried, many, poll_timeout(until)) > 0)
            for (size_t i = 0; i < many; i++)
                if (tried[i].fd >= 0 && tried[i].revents)
                    tell(words, i);
    return 0;
}
