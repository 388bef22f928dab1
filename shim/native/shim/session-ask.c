#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "ending.h"
#include "notice.h"
#include "session-end.h"
#include "session.h"
#include "signals.h"
#include "wire.h"

enum { FIRST_ACK_MS = 30000 };

enum { ACK_ALLOWED = 0, ACK_DENIED = 1, ACK_PENDING = 2, ACK_ORIGINAL = 3 };

static const char lost_before_ack[] = "the relay closed the connection before it decided; nothing was run";

/* The request is on its way; the relay may refuse it before it has read all of it. */
struct sending {
    const uint8_t *at;
    size_t left;
};

static void send_some(struct session *session, struct sending *sending)
{
    while (sending->left > 0) {
        ssize_t sent = write(session->in.fd, sending->at, sending->left);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            return;
        if (sent < 0)
            sending->left = 0;
        else {
            sending->at += sent;
            sending->left -= (size_t)sent;
        }
    }
}

static _Noreturn void die_waiting(struct session *session, int number, const struct sending *sending)
{
    /* In the middle of the request, the end of the stream means the same. */
    if (sending->left == 0) {
        session->out.fd = session->in.fd;
        outbox_put(&session->out, FRAME_CANCEL, NULL, 0);
        outbox_flush(&session->out);
    }
    ending_signal(number);
}

static void wait_for_relay(struct session *session, struct sending *sending, int64_t deadline)
{
    struct pollfd polled[] = {
        {.fd = session->in.fd, .events = (short)(sending->left > 0 ? POLLIN | POLLOUT : POLLIN)},
        {.fd = session->signals, .events = POLLIN},
    };
    poll(polled, 2, poll_timeout(deadline));
    if (polled[1].revents) {
        int number = signals_next(session->signals);
        if (number != 0)
            die_waiting(session, number, sending);
    }
    if (polled[0].revents & POLLOUT)
        send_some(session, sending);
    if ((polled[0].revents & ~POLLOUT) && !frames_read(&session->in))
        session_lost(session, lost_before_ack);
    if (deadline != 0 && clock_ms() >= deadline)
        session_lost(session, "the relay did not answer within 30 s; nothing was run");
}

/* The next ack, or -1 if it has not come yet. Only notices may come between two acks. */
static int next_ack(struct session *session, bool pending)
{
    struct piece piece;
    int byte;
    while ((byte = frames_raw(&session->in)) == FRAME_NOTICE && pending) {
        enum frames_state state = frames_peek(&session->in, &piece);
        if (state == FRAMES_BROKEN)
            session_lost(session, "the relay broke the rules of the wire");
        if (state == FRAMES_WAIT)
            return -1;
        notice_show(session, &piece);
        frames_take(&session->in, piece.length);
    }
    if (byte >= 0)
        frames_skip_raw(&session->in);
    return byte;
}

enum answer session_ask(struct session *session, const struct request *request)
{
    struct sending sending = {request->bytes, request->length};
    int64_t deadline = clock_ms() + FIRST_ACK_MS;
    bool pending = false;
    for (;;) {
        int ack = next_ack(session, pending);
        if (ack == ACK_ALLOWED || ack == ACK_DENIED)
            return ANSWER_RUN;
        if (ack == ACK_ORIGINAL)
            return ANSWER_ORIGINAL;
        if (ack >= 0 && (ack != ACK_PENDING || pending))
            session_lost(session, "the relay broke the rules of the wire");
        if (ack == ACK_PENDING) {
            pending = true;
            deadline = 0;
            continue;
        }
        wait_for_relay(session, &sending, deadline);
    }
}
