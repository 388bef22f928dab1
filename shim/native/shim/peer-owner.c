#include "peer-owner.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A line of either list is shorter; a page of them at a time. */
enum { LIST_BYTES = 4096, ENDPOINT = 8 + 1 + 4, UID_FIELD = 7 };

/* The client's end and ours, as the lists write them. */
struct wanted {
    char client[ENDPOINT + 1], here[ENDPOINT + 1];
};

/* As many digits as there is room for. */
static void hex(char *to, size_t digits, uint32_t value)
{
    for (size_t i = digits; i > 0; i--, value >>= 4)
        to[i - 1] = "0123456789ABCDEF"[value & 15];
}

/* The kernel prints an address as the number that its bytes are on this machine. */
static void endpoint(char text[ENDPOINT + 1], const struct sockaddr_in *address)
{
    hex(text, 8, address->sin_addr.s_addr);
    text[8] = ':';
    hex(text + 9, 4, ntohs(address->sin_port));
    text[ENDPOINT] = 0;
}

static bool read_wanted(int fd, struct wanted *wanted)
{
    struct sockaddr_in client, here;
    socklen_t client_size = sizeof client, here_size = sizeof here;
    if (getpeername(fd, (struct sockaddr *)&client, &client_size) != 0 || getsockname(fd, (struct sockaddr *)&here, &here_size) != 0)
        return false;
    endpoint(wanted->client, &client);
    endpoint(wanted->here, &here);
    return true;
}

/* Behind a prefix, which is that of a mapped address in the list of IPv6. */
static bool is_endpoint(const char *word, const char *prefix, const char *end)
{
    size_t length = strlen(prefix);
    return strncmp(word, prefix, length) == 0 && strcmp(word + length, end) == 0;
}

static bool is_of_ours(char *line, const char *prefix, const struct wanted *wanted)
{
    char *rest = NULL, *word = strtok_r(line, " ", &rest);
    bool matches = true;
    for (int field = 0; word && matches; field++, word = strtok_r(NULL, " ", &rest)) {
        if (field == 1)
            matches = is_endpoint(word, prefix, wanted->client);
        else if (field == 2)
            matches = is_endpoint(word, prefix, wanted->here);
        else if (field == UID_FIELD)
            return strtoul(word, NULL, 10) == geteuid();
    }
    return false;
}

static bool listed(const char *path, const char *prefix, const struct wanted *wanted)
{
    char bytes[LIST_BYTES];
    size_t length = 0;
    ssize_t got;
    bool found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (!found && length < sizeof bytes && (got = read(fd, bytes + length, sizeof bytes - length)) > 0) {
        length += (size_t)got;
        char *start = bytes, *end;
        while (!found && (end = memchr(start, '\n', (size_t)(bytes + length - start)))) {
            *end = 0;
            found = is_of_ours(start, prefix, wanted);
            start = end + 1;
        }
        length = (size_t)(bytes + length - start);
        memmove(bytes, start, length);
    }
    close(fd);
    return found;
}

bool peer_is_ours(int fd)
{
    struct wanted wanted;
    return read_wanted(fd, &wanted) &&
        (listed("/proc/net/tcp", "", &wanted) || listed("/proc/net/tcp6", "0000000000000000FFFF0000", &wanted));
}
