/* The carrier: keeps a tree's index, sends what changed and applies what others changed. It reads frames on fd 0 and
 * writes frames on fd 1; docs/carrier.md has the wire. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "carrier.h"
#include "descriptors.h"
#include "exchange.h"
#include "goes-on.h"
#include "notify.h"
#include "saved.h"
#include "serve.h"
#include "state-frames.h"

enum { REFUSED = 125, IDLE_MS = 500 };

static bool prepare(struct carrier *carrier)
{
    signal(SIGPIPE, SIG_IGN);
    /* Of a lease that it asks for. */
    signal(SIGIO, SIG_IGN);
    descriptors_close_inherited();
    carrier->stream.in = 0;
    carrier->stream.out = 1;
    carrier->stream.beside = carrier->notify = carrier->root = carrier->area = -1;
    carrier->meanwhile = (struct meanwhile){goes_on, carrier};
    return descriptors_guard() && fcntl(0, F_SETFL, O_NONBLOCK) == 0 && fcntl(1, F_SETFL, O_NONBLOCK) == 0;
}

/* All frames that are there. */
static void serve_all(struct carrier *carrier)
{
    struct frame frame;
    while (stream_next(&carrier->stream, &frame))
        serve(carrier, &frame);
    stream_flush(&carrier->stream);
}

/* Of two times to wait, of which -1 is for ever. */
static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* False at the end of the stream. */
static bool wait_and_serve(struct carrier *carrier)
{
    struct pollfd polled[2] = {{.fd = 0, .events = POLLIN}, {.fd = carrier->notify, .events = POLLIN}};
    int soon = carrier->unsaved ? IDLE_MS : late_wait_ms(carrier);
    soon = sooner(soon, background_wait_ms(carrier));
    int ready = poll(polled, 2, soon);
    if (ready < 0)
        return errno == EINTR;
    if (ready == 0) {
        saved_write(carrier);
        late_look(carrier);
    }
    if (polled[1].revents & POLLIN)
        notify_drain(carrier);
    if (polled[0].revents == 0) {
        background_run(carrier);
        return true;
    }
    if (!stream_read(&carrier->stream))
        return false;
    serve_all(carrier);
    background_postpone(carrier);
    return true;
}

int main(void)
{
    static struct carrier carrier;
    if (!prepare(&carrier))
        return REFUSED;
    while (!carrier.stream.broken && wait_and_serve(&carrier))
        continue;
    int code = carrier.stream.broken ? REFUSED : 0;
    exchange_end(&carrier);
    late_end(&carrier);
    saved_write(&carrier);
    index_end(&carrier.index);
    return code;
}
