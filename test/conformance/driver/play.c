#include "play.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "performance.h"
#include "steps.h"
#include "sweep.h"

enum { DRAIN_MS = 5000, MOST_OUTPUT = 32 << 20 };

static void note(struct performance *show, const char *line)
{
    bytes_add(&show->events, line, strlen(line));
    bytes_add(&show->events, "\n", 1);
}

/* Whether the tool, or a stand-in for it, has left the terminal unchanged. */
static void note_modes(struct performance *show)
{
    struct termios modes = {0}; /* what the kernel does not fill is compared, too */
    if (show->stage.terminal < 0 || tcgetattr(show->stage.terminal, &modes) != 0)
        return;
    const struct termios *before = &show->stage.modes;
    bool same = modes.c_iflag == before->c_iflag && modes.c_oflag == before->c_oflag
        && modes.c_cflag == before->c_cflag && modes.c_lflag == before->c_lflag
        && memcmp(modes.c_cc, before->c_cc, sizeof modes.c_cc) == 0;
    note(show, same ? "terminal as before" : "terminal changed");
}

static void take_event(struct performance *show)
{
    uint8_t message[5];
    char line[64];
    if (read(show->stage.events, message, sizeof message) != sizeof message) {
        show->flags |= FLAG_FAILED;
        show->ended = true;
        return;
    }
    int number = (int)((uint32_t)message[1] << 24 | message[2] << 16 | message[3] << 8 | message[4]);
    switch (message[0]) {
    case EVENT_STARTED:
        show->tool = number;
        break;
    case EVENT_STOPPED:
        snprintf(line, sizeof line, "stopped by %d", number);
        note(show, line);
        note_modes(show);
        show->stopped = true;
        break;
    case EVENT_ENDED:
        show->status = number;
        show->ended = true;
        note_modes(show);
        break;
    default:
        snprintf(line, sizeof line, "not started: %s", strerror(number));
        note(show, line);
        show->flags |= FLAG_FAILED;
    }
}

/* False at the end of the stream. */
static bool take_output(struct performance *show, int stream)
{
    static uint8_t piece[65536];
    int *fd = stream_fd(show, stream);
    ssize_t got = read(*fd, piece, sizeof piece);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return false;
    if (show->said[stream].length < MOST_OUTPUT)
        bytes_add(&show->said[stream], piece, (size_t)got);
    return true;
}

static int next_wake(const struct performance *show, int64_t deadline)
{
    int64_t wake = deadline;
    if (show->at < show->scene->steps && show->scene->step[show->at].kind == STEP_SLEEP) {
        int64_t end = show->step_since + show->scene->step[show->at].number;
        wake = end < wake ? end : wake;
    }
    int64_t left = wake - now_ms();
    return left < 0 ? 0 : (int)left;
}

static void watch(struct performance *show, int timeout)
{
    bool writing = show->at < show->scene->steps && show->scene->step[show->at].kind == STEP_WRITE;
    struct pollfd polled[STREAMS + 2];
    for (int stream = 0; stream < STREAMS; stream++)
        polled[stream] = (struct pollfd){.fd = show->paused[stream] ? -1 : *stream_fd(show, stream), .events = POLLIN};
    polled[STREAMS] = (struct pollfd){.fd = show->ended ? -1 : show->stage.events, .events = POLLIN};
    polled[STREAMS + 1] = (struct pollfd){.fd = writing ? show->stage.in : -1, .events = POLLOUT};
    if (poll(polled, STREAMS + 2, timeout) <= 0)
        return;
    if (polled[STREAMS].revents)
        take_event(show);
    for (int stream = 0; stream < STREAMS; stream++)
        if (polled[stream].revents && !take_output(show, stream))
            close_stream(show, stream);
}

static void perform(struct performance *show)
{
    int64_t deadline = now_ms() + show->scene->timeout_ms;
    show->step_since = now_ms();
    while (!show->ended && now_ms() < deadline) {
        take_steps(show);
        watch(show, next_wake(show, deadline));
    }
    if (show->ended)
        return;
    show->flags |= FLAG_TIMED_OUT;
    show->ended = true;
}

static void drain(struct performance *show)
{
    int64_t deadline = now_ms() + DRAIN_MS;
    for (int stream = 0; stream < STREAMS; stream++)
        show->paused[stream] = false;
    while ((show->stage.out >= 0 || show->stage.err >= 0 || show->stage.terminal >= 0) && now_ms() < deadline)
        watch(show, next_wake(show, deadline));
    if (show->stage.out >= 0 || show->stage.err >= 0 || show->stage.terminal >= 0)
        show->flags |= FLAG_UNDRAINED;
}

/* While a pipe still has a writer it has no end: its present content is what was left. */
static void take_left(struct performance *show, struct bytes *left)
{
    static uint8_t piece[65536];
    int waiting = 0;
    end_stdin(show);
    while (show->stage.left >= 0 && ioctl(show->stage.left, FIONREAD, &waiting) == 0 && waiting > 0) {
        ssize_t got = read(show->stage.left, piece, sizeof piece);
        if (got <= 0)
            return;
        bytes_add(left, piece, (size_t)got);
    }
}

static void add_record(struct bytes *record, const struct performance *show, const struct bytes *left, int64_t took)
{
    bytes_add_u32(record, (uint32_t)show->status);
    bytes_add_u32(record, show->flags);
    bytes_add_u32(record, show->scene->steps - show->at);
    bytes_add_u32(record, (uint32_t)took);
    for (int stream = 0; stream < STREAMS; stream++)
        bytes_add_string(record, show->said[stream].at, show->said[stream].length);
    bytes_add_string(record, left->at, left->length);
    bytes_add_string(record, show->events.at, show->events.length);
}

void play(const struct scene *scene, struct bytes *record)
{
    struct performance show = {.scene = scene};
    struct bytes left = {0};
    int64_t began = now_ms();
    int error = stage_set(&show.stage, scene);
    if (error == 0)
        error = stage_start(&show.stage, scene);
    if (error == 0)
        perform(&show);
    else
        show.flags |= FLAG_FAILED;
    if (error != 0)
        note(&show, strerror(error));
    int64_t took = now_ms() - began;
    sweep();
    drain(&show);
    take_left(&show, &left);
    add_record(record, &show, &left, took);
    stage_close(&show.stage);
    free(left.at);
    free(show.events.at);
    for (int stream = 0; stream < STREAMS; stream++)
        free(show.said[stream].at);
}
