/* connect HOST PORT, for ssh's ProxyCommand: asks the way out on 127.0.0.1:3128 for a tunnel, and is its two ends, stdin
 * and stdout. It decides nothing: any program may ask the way out without it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "descriptors.h"
#include "text.h"

/* The gateway itself gives up after 30 s. */
enum { WAY_PORT = 3128, HEAD_MOST = 4096, HOST_MOST = 253, PORT_MOST = 5, WITHIN_MS = 60000, CHUNK = 65536 };

static const char ours[] = "clawrden: ";

static void fail(const char *why)
{
    struct text line = {0};
    if (strncmp(why, ours, sizeof ours - 1) != 0)
        text_add(&line, "clawrden: connect: ");
    text_add(&line, why);
    text_make_safe(&line);
    text_add(&line, "\n");
    _exit(write(2, line.bytes, line.length) < 0 ? 2 : 1);
}

/* Nothing that would be another line, or another word, of the request. */
static bool is_host(const char *host)
{
    size_t length = strlen(host);
    for (size_t i = 0; i < length; i++)
        if (host[i] <= ' ' || host[i] > '~' || strchr("[]/@\\\"", host[i]))
            return false;
    return length > 0 && length <= HOST_MOST;
}

static bool is_port(const char *port)
{
    size_t length = strlen(port);
    return length > 0 && length <= PORT_MOST && strspn(port, "0123456789") == length;
}

static int reach_way_out(void)
{
    struct sockaddr_in way = {.sin_family = AF_INET, .sin_port = htons(WAY_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&way, sizeof way) != 0)
        fail("nobody listens on 127.0.0.1:3128: this command has no network by name");
    return fd;
}

static void ask(int fd, const char *host, const char *port)
{
    bool is_ipv6 = strchr(host, ':');
    struct text to = {0}, request = {0};
    text_add(&to, is_ipv6 ? "[" : "");
    text_add(&to, host);
    text_add(&to, is_ipv6 ? "]:" : ":");
    text_add(&to, port);
    text_add(&request, "CONNECT ");
    text_add_bytes(&request, to.bytes, to.length);
    text_add(&request, " HTTP/1.1\r\nHost: ");
    text_add_bytes(&request, to.bytes, to.length);
    text_add(&request, "\r\n\r\n");
    if (!descriptor_write(fd, request.bytes, request.length))
        fail("the way out has ended");
}

/* Byte by byte: what comes behind the head is the server's. */
static void read_head(int fd, char head[HEAD_MOST + 1])
{
    int64_t deadline = clock_ms() + WITHIN_MS;
    size_t length = 0;
    while (length < 4 || memcmp(head + length - 4, "\r\n\r\n", 4) != 0) {
        struct pollfd answer = {.fd = fd, .events = POLLIN};
        if (length == HEAD_MOST)
            fail("the way out does not speak HTTP");
        if (poll(&answer, 1, poll_timeout(deadline)) <= 0)
            fail("the way out did not answer within 60 s");
        if (read(fd, head + length, 1) != 1)
            fail("the way out ended before its answer");
        length++;
    }
    head[length] = 0;
}

/* `HTTP/1.1 403 clawrden: egress-denied: …`: the reason is a line for people. */
static void check(char *head)
{
    head[strcspn(head, "\r\n")] = 0;
    char *code = strchr(head, ' ');
    if (!code)
        fail("the way out does not speak HTTP");
    if (strncmp(code, " 200 ", 5) == 0)
        return;
    char *reason = strchr(code + 1, ' ');
    fail(reason ? reason + 1 : code + 1);
}

static void carry(int from, int to)
{
    static char bytes[CHUNK];
    ssize_t got;
    while ((got = read(from, bytes, sizeof bytes)) > 0)
        if (!descriptor_write(to, bytes, (size_t)got))
            return;
}

/* One process for each way, so that neither waits for the other. The end of what comes is the end of all. */
static int carry_both(int fd)
{
    pid_t self = getpid();
    pid_t child = fork();
    if (child < 0)
        fail("there is no room for another process");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(0);
        close(1);
        carry(0, fd);
        shutdown(fd, SHUT_WR);
        _exit(0);
    }
    close(0);
    carry(fd, 1);
    kill(child, SIGKILL);
    return 0;
}

int main(int count, char **words)
{
    static char head[HEAD_MOST + 1];
    if (count != 3 || !is_host(words[1]) || !is_port(words[2]))
        fail("usage: connect HOST PORT");
    signal(SIGPIPE, SIG_IGN);
    int fd = reach_way_out();
    ask(fd, words[1], words[2]);
    read_head(fd, head);
    check(head);
    return carry_both(fd);
}
