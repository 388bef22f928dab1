#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "notice.h"
#include "session-end.h"
#include "session.h"
#include "signals.h"
#include "wire.h"

enum { RELAY, SIGNALS, STDIN, STDOUT, STDERR, POLLED };

static const char broken[] = "the relay broke the rules of the wire; whether the command ran is unknown";

static void send_byte(struct session *session, uint8_t type, uint8_t byte)
{
    outbox_put(&session->out, type, &byte, 1);
}

static void send_size(struct session *session)
{
    struct winsize size;
    uint8_t payload[4];
    if (session->caller.terminal < 0 || ioctl(session->caller.terminal, TIOCGWINSZ, &size) != 0)
        return;
    put_u16(payload, size.ws_col);
    put_u16(payload + 2, size.ws_row);
    outbox_put(&session->out, FRAME_RESIZE, payload, sizeof payload);
}

static void forward_signals(struct session *session)
{
    int number;
    /* A signal that finds no room stays pending. */
    while (OUTBOX_BYTES - session->out.end >= OUTBOX_SMALL / 2 && (number = signals_next(session->signals)) != 0) {
        if (number == SIGWINCH)
            send_size(session);
        else
            send_byte(session, FRAME_SIGNAL, (uint8_t)number);
        if (number == SIGCONT)
            terminal_resume(&session->terminal);
    }
}

/* The tool has stopped, so this process stops; when this process continues, the tool must continue too. */
static void stop_like_tool(struct session *session, uint8_t number)
{
    terminal_restore(&session->terminal);
    signals_stop_self(number);
    send_byte(session, FRAME_SIGNAL, SIGCONT);
    send_size(session);
}

static bool take_output(struct session *session, const struct piece *piece)
{
    struct sink *sink = &session->sinks[piece->type];
    size_t done = sink_write(sink, piece->bytes, piece->length);
    frames_take(&session->in, done);
    session->blocked = done < piece->length ? sink->fd : -1;
    return done == piece->length;
}

/* Not before the first credit: until then ^C is a SIGINT. */
static void use_terminal(struct session *session)
{
    if (source_wanted(&session->source))
        terminal_raw(&session->terminal);
}

/* The tool's terminal has already translated its output for a raw terminal: output after the credit must not be
 * translated again. */
static void take_credit(struct session *session, uint32_t more)
{
    source_grant(&session->source, more);
    use_terminal(session);
}

static void take_control(struct session *session, const struct piece *piece)
{
    const uint8_t *bytes = piece->bytes;
    switch (piece->type) {
    case FRAME_EXIT:
        if (piece->total >= 1)
            session_exit(session, bytes[0], piece->total >= 2 ? bytes[1] : 0);
        break;
    case FRAME_NOTICE:
        notice_show(session, piece);
        return;
    case FRAME_CREDIT:
        if (piece->total == 4)
            return take_credit(session, get_u32(bytes));
        break;
    case FRAME_CLOSED:
        return source_close(&session->source);
    case FRAME_STOPPED:
        if (piece->total == 1)
            return stop_like_tool(session, bytes[0]);
        break;
    case FRAME_UNREAD:
        if (piece->total == 4)
            return source_settle(&session->source, get_u32(bytes));
        break;
    default:
        break;
    }
    session_lost(session, broken);
}

/* Handles the frames that have come, until an output would have to wait. */
static void take_frames(struct session *session)
{
    struct piece piece;
    enum frames_state state;
    while ((state = frames_peek(&session->in, &piece)) == FRAMES_PIECE) {
        if (piece.type == FRAME_STDOUT || piece.type == FRAME_STDERR) {
            if (!take_output(session, &piece))
                return;
            continue;
        }
        take_control(session, &piece);
        frames_take(&session->in, piece.length);
    }
    if (state == FRAMES_BROKEN)
        session_lost(session, broken);
}

/* Stdin is sent last, so that a signal never waits for more than one chunk. */
static void send_stdin(struct session *session)
{
    while (source_wanted(&session->source) && outbox_empty(&session->out) && !session->out.gone) {
        ssize_t got = source_read(&session->source, outbox_hole(&session->out), OUTBOX_CHUNK);
        if (got == SOURCE_NOTHING)
            return;
        outbox_fill(&session->out, FRAME_STDIN, (size_t)got);
        outbox_flush(&session->out);
    }
}

static void tell_gone(struct session *session, int fd)
{
    session->sinks[fd].gone = true;
    if (session->told_gone[fd] || session->caller.stdio[fd] == CALLER_CLOSED)
        return;
    session->told_gone[fd] = true;
    send_byte(session, FRAME_CLOSED, (uint8_t)fd);
    if (session->blocked == fd)
        session->blocked = -1;
}

static struct pollfd poll_sink(const struct session *session, int fd)
{
    bool watch = !session->sinks[fd].gone;
    return (struct pollfd){.fd = watch ? fd : -1, .events = (short)(session->blocked == fd ? POLLOUT : 0)};
}

static void wait_for_events(struct session *session, struct pollfd polled[POLLED])
{
    short to_relay = outbox_empty(&session->out) ? 0 : POLLOUT;
    int timeout = -1;
    polled[RELAY] = (struct pollfd){.fd = session->in.fd, .events = to_relay};
    if (session->blocked < 0)
        polled[RELAY].events |= POLLIN;
    polled[SIGNALS] = (struct pollfd){.fd = session->signals, .events = POLLIN};
    polled[STDIN] = (struct pollfd){.fd = -1};
    if (source_wanted(&session->source) && session->source.granted > session->source.sent && to_relay == 0)
        polled[STDIN] = source_poll(&session->source, &timeout);
    polled[STDOUT] = poll_sink(session, 1);
    polled[STDERR] = poll_sink(session, 2);
    /* If the relay hung up, this is seen at its last byte, which waits after the output. */
    if (session->blocked >= 0 && to_relay == 0)
        polled[RELAY].fd = -1;
    if (poll(polled, POLLED, timeout) <= 0)
        for (int i = 0; i < POLLED; i++)
            polled[i].revents = 0;
}

static void serve_what_came(struct session *session)
{
    session->blocked = -1;
    take_frames(session);
    /* Before the tool is told to continue, because bytes typed from then on are for the tool. */
    use_terminal(session);
    for (int fd = 1; fd <= 2; fd++)
        if (session->sinks[fd].gone)
            tell_gone(session, fd);
    outbox_flush(&session->out);
    send_stdin(session);
}

static void step(struct session *session)
{
    struct pollfd polled[POLLED];
    wait_for_events(session, polled);
    if (polled[SIGNALS].revents)
        forward_signals(session);
    for (int fd = 1; fd <= 2; fd++)
        if (polled[STDOUT + fd - 1].revents & (POLLERR | POLLHUP))
            tell_gone(session, fd);
    if (session->blocked < 0 && (polled[RELAY].revents & (POLLIN | POLLHUP | POLLERR)) && !frames_read(&session->in))
        session_lost(session, "the relay closed the connection; whether the command ended is unknown");
    serve_what_came(session);
}

void session_serve(struct session *session)
{
    session->out.fd = session->in.fd;
    if (!signals_add_tool(session->signals, session->caller.ignored))
        session_lost(session, "signals cannot be watched");
    /* Frames may have come in the same read as the ack. */
    serve_what_came(session);
    for (;;)
        step(session);
}
