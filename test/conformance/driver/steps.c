#include "steps.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool was_said(struct performance *show, int which, const struct step *step)
{
    int out = show->scene->kinds[1] == KIND_TTY ? TERMINAL : OUT;
    int err = show->scene->kinds[2] == KIND_TTY ? TERMINAL : ERR;
    struct bytes *said = &show->said[which == 0 ? out : err];
    if (step->length == 0)
        return true;
    if (said->length <= show->found[which])
        return false;
    uint8_t *from = said->at + show->found[which];
    uint8_t *hit = memmem(from, said->length - show->found[which], step->text, step->length);
    if (hit)
        show->found[which] = (size_t)(hit - said->at) + step->length;
    return hit != NULL;
}

static bool write_some(struct performance *show, const struct step *step)
{
    int *fd = &show->stage.in;
    while (*fd >= 0 && show->written < step->length) {
        ssize_t done = write(*fd, step->text + show->written, step->length - show->written);
        if (done < 0 && errno == EAGAIN)
            return false;
        if (done < 0) {
            show->flags |= FLAG_STDIN_BROKEN;
            close(*fd);
            *fd = -1;
            break;
        }
        show->written += (size_t)done;
    }
    return true;
}

static void resize(struct performance *show, uint32_t number)
{
    struct winsize size = {.ws_col = (uint16_t)(number >> 16), .ws_row = (uint16_t)number};
    ioctl(show->stage.terminal, TIOCSWINSZ, &size);
}

static void resume(struct performance *show)
{
    uint8_t order = 1;
    show->stopped = false;
    if (write(show->stage.orders, &order, 1) != 1)
        show->flags |= FLAG_FAILED;
}

/* True if the step is done; until then it is tried again after each event. */
static bool take_step(struct performance *show, const struct step *step)
{
    int stream = step->number == 1 ? OUT : ERR;
    switch (step->kind) {
    case STEP_SLEEP:
        return now_ms() >= show->step_since + step->number;
    case STEP_AWAIT:
    case STEP_AWAIT_ERR:
        return was_said(show, step->kind == STEP_AWAIT ? 0 : 1, step);
    case STEP_WRITE:
        return write_some(show, step);
    case STEP_END_STDIN:
        end_stdin(show);
        return true;
    case STEP_SIGNAL:
        if (show->tool > 0)
            kill(-show->tool, (int)step->number);
        return show->tool > 0;
    case STEP_RESIZE:
        resize(show, step->number);
        return true;
    case STEP_CLOSE:
        close_stream(show, stream);
        return true;
    case STEP_STOPPED:
        return show->stopped;
    case STEP_CONTINUE:
        resume(show);
        return true;
    case STEP_PAUSE:
    case STEP_RESUME:
        show->paused[stream] = step->kind == STEP_PAUSE;
        return true;
    default:
        return true;
    }
}

void take_steps(struct performance *show)
{
    while (!show->ended && show->at < show->scene->steps && take_step(show, &show->scene->step[show->at])) {
        show->at++;
        show->written = 0;
        show->step_since = now_ms();
    }
}
