#include "way-out.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "dial.h"
#include "ending.h"
#include "frames.h"
#include "json.h"
#include "listener.h"
#include "network.h"
#include "outbox.h"
#include "peer-owner.h"
#include "request.h"

/* One that was frozen with its container ends once it goes on, and its successor may be there first. */
enum { LISTEN_MS = 3000, LISTEN_PAUSE_MS = 50, REQUEST_BYTES = 128, ACK_ALLOWED = 0 };

struct way_out {
    struct frames in;
    struct outbox out;
    struct network network;
};

bool way_out_wanted(char *const *argv)
{
    return strcmp(request_tool(argv), ".shim") == 0;
}

static void listen_here(struct network *network)
{
    int64_t until = clock_ms() + LISTEN_MS;
    int error;
    while ((error = network_open(network)) == EADDRINUSE && clock_ms() < until) {
        close(network->listener);
        poll(NULL, 0, LISTEN_PAUSE_MS);
    }
    if (error != 0)
        ending_own("way-out-busy", error == EADDRINUSE ? "another program listens on 127.0.0.1:3128" : strerror(error));
}

/* It fits into the empty buffer of a socket. */
static void ask(int fd)
{
    uint8_t bytes[4 + REQUEST_BYTES];
    struct json json = {.bytes = (char *)bytes + 4, .capacity = REQUEST_BYTES};
    json_raw(&json, "{\"v\":1,\"way-out\":true,\"identity\":{\"uid\":");
    json_number(&json, geteuid());
    json_raw(&json, ",\"gid\":");
    json_number(&json, getegid());
    json_raw(&json, "}}");
    put_u32(bytes, (uint32_t)json.length);
    if (write(fd, bytes, 4 + json.length) != (ssize_t)(4 + json.length))
        ending_own("relay-unreachable", "the relay took no request");
}

static int call(const char *path)
{
    struct text why = {0};
    int fd = dial(path, -1, &why);
    if (fd < 0 || !listener_trusted(fd, path, &why))
        ending_own("relay-unreachable", why.bytes);
    ask(fd);
    return fd;
}

/* The relay's answer is a byte before its first frame. */
static void await_answer(struct frames *in)
{
    while (frames_raw(in) < 0) {
        struct pollfd polled = {.fd = in->fd, .events = POLLIN};
        if (poll(&polled, 1, -1) > 0 && !frames_read(in))
            ending_own("relay-lost", "the relay ended the connection");
    }
    if (frames_raw(in) != ACK_ALLOWED)
        ending_own("relay-unreachable", "the relay keeps no way out here now");
    frames_skip_raw(in);
}

/* False if the relay breaks the rules of the wire. */
static bool obey(struct way_out *way)
{
    struct piece piece;
    enum frames_state state;
    while ((state = frames_peek(&way->in, &piece)) == FRAMES_PIECE) {
        if (!network_obey(&way->network, &piece))
            return false;
        frames_take(&way->in, piece.length);
    }
    return state == FRAMES_WAIT;
}

static bool step(struct way_out *way)
{
    struct pollfd polled[1 + NETWORK_POLLED];
    size_t count = network_wait(&way->network, &way->out, polled + 1);
    polled[0] = (struct pollfd){.fd = way->in.fd, .events = (short)(outbox_empty(&way->out) ? POLLIN : POLLIN | POLLOUT)};
    if (poll(polled, 1 + count, -1) <= 0)
        return true;
    if ((polled[0].revents & ~POLLOUT) && (!frames_read(&way->in) || !obey(way)))
        return false;
    network_step(&way->network, &way->out, polled + 1, count);
    outbox_flush(&way->out);
    return !way->out.gone;
}

void way_out_serve(const char *path)
{
    /* Large, and no other shim needs it. */
    struct way_out *way = calloc(1, sizeof *way);
    if (!way)
        ending_own("internal", strerror(ENOMEM));
    way->network.is_ours = peer_is_ours;
    listen_here(&way->network);
    way->in.fd = way->out.fd = call(path);
    await_answer(&way->in);
    bool well = obey(way);
    while (well)
        well = step(way);
    network_close(&way->network);
    ending_own("relay-lost", "the relay ended the connection");
}
