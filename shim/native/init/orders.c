#include "orders.h"

#include <signal.h>
#include <unistd.h>

#include "clock.h"
#include "pty.h"
#include "pump.h"
#include "stop.h"

static bool take_stdin(struct run *run, const struct piece *piece)
{
    run->moved_at = clock_ms();
    if (piece->total > 0)
        return feed_accept(&run->feed, piece->bytes, piece->length);
    feed_end(&run->feed);
    return true;
}

static bool take_signal(struct run *run, uint8_t number)
{
    switch (number) {
    case SIGINT: case SIGTERM: case SIGHUP: case SIGQUIT:
    case SIGUSR1: case SIGUSR2: case SIGCONT: case SIGTSTP:
        if (!run->ended)
            tool_signal(&run->tool, number);
        return true;
    default:
        return false;
    }
}

static bool obey(struct run *run, const struct piece *piece)
{
    const uint8_t *bytes = piece->bytes;
    switch (piece->type) {
    case FRAME_STDIN:
        return take_stdin(run, piece);
    case FRAME_CANCEL:
        stop_tool(run, CAUSE_CANCEL);
        return true;
    case FRAME_SIGNAL:
        return piece->total == 1 && take_signal(run, bytes[0]);
    case FRAME_RESIZE:
        if (piece->total == 4 && run->tool.slave >= 0)
            pty_resize(run->tool.out, get_u16(bytes), get_u16(bytes + 2));
        return piece->total == 4;
    case FRAME_CARRIED:
        run->moved_at = clock_ms();
        return network_obey(&run->network, piece);
    case FRAME_ROOM:
    case FRAME_FINISHED:
    case FRAME_GONE:
        return network_obey(&run->network, piece);
    case FRAME_CLOSED:
        if (piece->total == 1)
            pump_close(run, bytes[0]);
        return piece->total == 1;
    default:
        return false;
    }
}

void orders_obey(struct run *run)
{
    struct piece piece;
    enum frames_state state;
    while ((state = frames_peek(&run->in, &piece)) == FRAMES_PIECE) {
        if (!obey(run, &piece))
            stop_vanish(run);
        frames_take(&run->in, piece.length);
    }
    if (state == FRAMES_BROKEN)
        stop_vanish(run);
}

void orders_take(struct run *run)
{
    if (!frames_read(&run->in))
        stop_vanish(run);
    orders_obey(run);
}
