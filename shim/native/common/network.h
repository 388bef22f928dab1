#ifndef CLAWRDEN_NETWORK_H
#define CLAWRDEN_NETWORK_H

#include <poll.h>

#include "connection.h"
#include "frames.h"

enum { CONNECTIONS_MOST = 64, NETWORK_POLLED = 1 + CONNECTIONS_MOST };

/* A way out, a tool's or an agent's: programs connect to 127.0.0.1:3128, and the gateway has the other end. Nothing that
 * they say is read here. */
struct network {
    /* -1: there is none. */
    int listener;
    /* Tells whether a client is one of our own user, and the gateway is told. NULL: nobody asks. */
    bool (*is_ours)(int fd);
    /* The connection that is read first, and the one that the present frame is about. */
    size_t turn, about;
    struct connection connections[CONNECTIONS_MOST];
};

/* 0 or errno. */
int network_open(struct network *network);

/* Fills in what is waited for; returns how many of NETWORK_POLLED that is. */
size_t network_wait(const struct network *network, const struct outbox *outbox, struct pollfd *polled);

/* One piece of a frame about a connection. False if it breaks the rules of the wire. */
bool network_obey(struct network *network, const struct piece *piece);

/* Moves what can be moved, of each connection one chunk at most, and only as fast as the outbox is taken. Returns the
 * bytes that went to the gateway. */
size_t network_step(struct network *network, struct outbox *outbox, const struct pollfd *polled, size_t count);

/* The way out is over. What the gateway says of its connections from now on has no effect. */
void network_close(struct network *network);

#endif
