#include "network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAY_PORT = 3128, BACKLOG = 128 };

int network_open(struct network *network)
{
    static const int on = 1;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(WAY_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    network->listener = fd;
    if (fd < 0)
        return errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&here, sizeof here) != 0 || listen(fd, BACKLOG) != 0)
        return errno;
    for (size_t i = 0; i < CONNECTIONS_MOST; i++)
        network->connections[i].id = (uint8_t)i;
    return 0;
}

/* CONNECTIONS_MOST if there is none. */
static size_t unused(const struct network *network)
{
    size_t at = 0;
    while (at < CONNECTIONS_MOST && network->connections[at].used)
        at++;
    return at;
}

/* More of them wait in the kernel's queue, and then in their own connect(). */
static bool may_accept(const struct network *network, const struct outbox *outbox)
{
    return network->listener >= 0 && OUTBOX_BYTES - outbox->end >= OUTBOX_SMALL * 3 / 4 && unused(network) < CONNECTIONS_MOST;
}

/* One that waits for nothing is left out: otherwise the end of its client would wake us for ever. */
static struct pollfd waited_for(const struct connection *connection, bool idle)
{
    short events = (short)((idle && connection_readable(connection) ? POLLIN : 0) | (connection_waiting(connection) ? POLLOUT : 0));
    return (struct pollfd){.fd = events ? connection->fd : -1, .events = events};
}

size_t network_wait(const struct network *network, const struct outbox *outbox, struct pollfd *polled)
{
    if (network->listener < 0)
        return 0;
    polled[0] = (struct pollfd){.fd = may_accept(network, outbox) ? network->listener : -1, .events = POLLIN};
    for (size_t i = 0; i < CONNECTIONS_MOST; i++)
        polled[1 + i] = waited_for(&network->connections[i], outbox_empty(outbox));
    return NETWORK_POLLED;
}

static bool obey(struct connection *connection, const struct piece *piece)
{
    switch (piece->type) {
    case FRAME_CARRIED:
        return piece->total > 1 && connection_accept(connection, piece->bytes + (piece->offset == 0), piece->length - (piece->offset == 0));
    case FRAME_ROOM:
        return piece->total == 5 && connection_credit(connection, get_u32(piece->bytes + 1));
    case FRAME_FINISHED:
        return piece->total == 1 && connection_finish(connection);
    case FRAME_GONE:
        return piece->total == 1 && connection_gone(connection);
    default:
        return false;
    }
}

bool network_obey(struct network *network, const struct piece *piece)
{
    if (piece->total == 0)
        return false;
    /* A long frame comes in pieces, and the first byte of the first one says whose it is. */
    if (piece->offset == 0)
        network->about = piece->bytes[0];
    return network->about < CONNECTIONS_MOST && obey(&network->connections[network->about], piece);
}

static void accept_all(struct network *network, struct outbox *outbox)
{
    while (may_accept(network, outbox)) {
        int fd = accept4(network->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        struct connection *connection = &network->connections[unused(network)];
        connection_open(connection, fd);
        uint8_t opened[2] = {connection->id, network->is_ours && network->is_ours(fd)};
        outbox_put(outbox, FRAME_OPENED, opened, network->is_ours ? 2 : 1);
    }
}

/* Each has its turn, also while the outbox takes little. */
static size_t read_in_turn(struct network *network, struct outbox *outbox, const struct pollfd *polled)
{
    size_t sent = 0;
    for (size_t i = 0, first = network->turn; i < CONNECTIONS_MOST && outbox_empty(outbox); i++) {
        size_t at = (first + i) % CONNECTIONS_MOST;
        struct connection *connection = &network->connections[at];
        if (!connection_readable(connection) || !(polled[1 + at].revents & (POLLIN | POLLERR | POLLHUP)))
            continue;
        sent += connection_read(connection, outbox);
        outbox_flush(outbox);
        network->turn = (at + 1) % CONNECTIONS_MOST;
    }
    return sent;
}

size_t network_step(struct network *network, struct outbox *outbox, const struct pollfd *polled, size_t count)
{
    if (count == 0)
        return 0;
    size_t sent = read_in_turn(network, outbox, polled);
    for (size_t i = 0; i < CONNECTIONS_MOST; i++)
        if (network->connections[i].used) {
            connection_write(&network->connections[i]);
            connection_tell(&network->connections[i], outbox);
        }
    if (polled[0].revents)
        accept_all(network, outbox);
    return sent;
}

void network_close(struct network *network)
{
    if (network->listener < 0)
        return;
    close(network->listener);
    network->listener = -1;
    for (size_t i = 0; i < CONNECTIONS_MOST; i++)
        if (network->connections[i].used)
            connection_cut(&network->connections[i]);
}
