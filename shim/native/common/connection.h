#ifndef CLAWRDEN_CONNECTION_H
#define CLAWRDEN_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outbox.h"
#include "wire.h"

/* One connection to the way out. It is over when both sides have said `gone`; each says it once, and nothing
 * after it. */
struct connection {
    uint8_t id;
    /* Its number is taken. */
    bool used;
    /* -1 once it is closed here. */
    int fd;
    /* Bytes that may go to the gateway now; bytes that may come from there; and those that the client has taken and that
     * the gateway was not told of. */
    uint32_t credit, room, taken;
    /* The client has sent its last byte, and the gateway does not know yet. */
    bool read_ended, untold_end;
    /* So has the gateway; and the client knows. */
    bool write_ended, shut;
    bool gone_in, gone_out;
    /* What the client has not taken yet. */
    size_t start, end;
    uint8_t buffer[CONNECTION_DOWN];
};

/* A new one over `fd`, which is non-blocking. */
void connection_open(struct connection *connection, int fd);

/* What the gateway says of it. False if it may not say so now. */
bool connection_accept(struct connection *connection, const uint8_t *bytes, size_t length);
bool connection_credit(struct connection *connection, uint32_t bytes);
bool connection_finish(struct connection *connection);
bool connection_gone(struct connection *connection);

static inline bool connection_readable(const struct connection *connection)
{
    return connection->used && connection->fd >= 0 && connection->credit > 0 && !connection->read_ended && !connection->gone_in;
}

static inline bool connection_waiting(const struct connection *connection)
{
    return connection->fd >= 0 && connection->start < connection->end;
}

/* Makes one frame of what the client has sent. Only while the outbox is empty. Returns the bytes. */
size_t connection_read(struct connection *connection, struct outbox *outbox);

/* Gives the client what it takes, and ends what is over. */
void connection_write(struct connection *connection);

/* Tells the gateway what it has to know, as far as there is room. */
void connection_tell(struct connection *connection, struct outbox *outbox);

/* The client gets a reset. */
void connection_cut(struct connection *connection);

#endif
