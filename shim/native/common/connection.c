#include "connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "descriptors.h"

enum { TELL_LEAST = CONNECTION_DOWN / 4 };

void connection_open(struct connection *connection, int fd)
{
    static const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->used = true;
    connection->fd = fd;
    connection->credit = CONNECTION_UP;
    connection->room = CONNECTION_DOWN;
    connection->taken = 0;
    connection->read_ended = connection->untold_end = false;
    connection->write_ended = connection->shut = false;
    connection->gone_in = connection->gone_out = false;
    connection->start = connection->end = 0;
}

static void drop(struct connection *connection)
{
    descriptor_shut(&connection->fd);
    connection->start = connection->end = 0;
}

void connection_cut(struct connection *connection)
{
    static const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (connection->fd >= 0)
        setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    drop(connection);
}

static void keep(struct connection *connection, const uint8_t *bytes, size_t length)
{
    if (connection->end + length > sizeof connection->buffer) {
        memmove(connection->buffer, connection->buffer + connection->start, connection->end - connection->start);
        connection->end -= connection->start;
        connection->start = 0;
    }
    memcpy(connection->buffer + connection->end, bytes, length);
    connection->end += length;
}

/* Returns the bytes that the client took. */
static size_t write_some(struct connection *connection, const uint8_t *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t written = write(connection->fd, bytes + done, length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno != EAGAIN)
            drop(connection);
        if (written < 0)
            break;
        done += (size_t)written;
    }
    connection->taken += (uint32_t)done;
    return done;
}

bool connection_accept(struct connection *connection, const uint8_t *bytes, size_t length)
{
    if (!connection->used || connection->gone_in || connection->write_ended || connection->room < length)
        return false;
    connection->room -= (uint32_t)length;
    if (connection->fd < 0)
        return true;
    size_t done = connection->start == connection->end ? write_some(connection, bytes, length) : 0;
    if (done < length && connection->fd >= 0)
        keep(connection, bytes + done, length - done);
    return true;
}

bool connection_credit(struct connection *connection, uint32_t bytes)
{
    if (!connection->used || connection->gone_in || bytes > CONNECTION_UP - connection->credit)
        return false;
    connection->credit += bytes;
    return true;
}

bool connection_finish(struct connection *connection)
{
    if (!connection->used || connection->gone_in || connection->write_ended)
        return false;
    connection->write_ended = true;
    return true;
}

bool connection_gone(struct connection *connection)
{
    if (!connection->used || connection->gone_in)
        return false;
    connection->gone_in = true;
    if (!connection->write_ended)
        connection_cut(connection);
    return true;
}

size_t connection_read(struct connection *connection, struct outbox *outbox)
{
    uint8_t *hole = outbox_hole(outbox);
    size_t most = OUTBOX_CHUNK - 1;
    if (most > connection->credit)
        most = connection->credit;
    ssize_t got = read(connection->fd, hole + 1, most);
    if (got > 0) {
        hole[0] = connection->id;
        outbox_fill(outbox, FRAME_CARRIED, (size_t)got + 1);
        connection->credit -= (uint32_t)got;
        return (size_t)got;
    }
    if (got == 0)
        connection->read_ended = connection->untold_end = true;
    else if (errno != EAGAIN && errno != EINTR)
        drop(connection);
    return 0;
}

void connection_write(struct connection *connection)
{
    if (connection_waiting(connection))
        connection->start += write_some(connection, connection->buffer + connection->start, connection->end - connection->start);
    if (connection->start >= connection->end)
        connection->start = connection->end = 0;
    if (connection->fd < 0 || connection->end > 0 || !connection->write_ended)
        return;
    if (!connection->shut)
        shutdown(connection->fd, SHUT_WR);
    connection->shut = true;
    if (connection->read_ended || connection->gone_in)
        drop(connection);
}

/* What the tool's stdin needs is left free. */
static bool put(struct outbox *outbox, uint8_t type, const uint8_t *payload, size_t length)
{
    return OUTBOX_BYTES - outbox->end >= OUTBOX_SMALL * 3 / 4 && outbox_put(outbox, type, payload, length);
}

void connection_tell(struct connection *connection, struct outbox *outbox)
{
    uint8_t payload[5] = {connection->id};
    if (connection->untold_end && put(outbox, FRAME_FINISHED, payload, 1))
        connection->untold_end = false;
    put_u32(payload + 1, connection->taken);
    if (connection->fd >= 0 && !connection->write_ended && connection->taken >= TELL_LEAST && put(outbox, FRAME_ROOM, payload, 5)) {
        connection->room += connection->taken;
        connection->taken = 0;
    }
    if (connection->fd < 0 && !connection->untold_end && !connection->gone_out)
        connection->gone_out = put(outbox, FRAME_GONE, payload, 1);
    if (connection->gone_in && connection->gone_out)
        connection->used = false;
}
