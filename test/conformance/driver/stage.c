#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "leader.h"

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int make_pipe(int *ours, int *theirs, bool input)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    *ours = ends[input ? 1 : 0];
    *theirs = ends[input ? 0 : 1];
    return fcntl(*ours, F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

static int make_terminal(struct stage *stage, const struct scene *scene)
{
    struct winsize size = {.ws_col = scene->cols, .ws_row = scene->rows};
    int unlocked = 0;
    stage->terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (stage->terminal < 0 || ioctl(stage->terminal, TIOCSPTLCK, &unlocked) != 0)
        return errno;
    stage->slave = ioctl(stage->terminal, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (stage->slave < 0 || ioctl(stage->terminal, TIOCSWINSZ, &size) != 0)
        return errno;
    return tcgetattr(stage->slave, &stage->modes) == 0 ? 0 : errno;
}

static int set_input(struct stage *stage, const struct scene *scene)
{
    int *theirs = &stage->theirs[0];
    if (scene->kinds[0] == KIND_FILE) {
        *theirs = open(scene->input, O_RDONLY | O_CLOEXEC);
        stage->left = *theirs < 0 ? -1 : fcntl(*theirs, F_DUPFD_CLOEXEC, 3);
        return stage->left < 0 ? errno : 0;
    }
    int error = make_pipe(&stage->in, theirs, true);
    if (error == 0 && scene->keep_stdin)
        stage->left = fcntl(*theirs, F_DUPFD_CLOEXEC, 3);
    return error;
}

static int set_one(struct stage *stage, const struct scene *scene, int fd)
{
    int *theirs = &stage->theirs[fd];
    switch (scene->kinds[fd]) {
    case KIND_NULL:
        *theirs = open("/dev/null", O_RDWR | O_CLOEXEC);
        return *theirs < 0 ? errno : 0;
    case KIND_TTY:
        *theirs = fcntl(stage->slave, F_DUPFD_CLOEXEC, 3);
        return *theirs < 0 ? errno : 0;
    case KIND_SAME:
        *theirs = fcntl(stage->theirs[1], F_DUPFD_CLOEXEC, 3);
        return *theirs < 0 ? errno : 0;
    case KIND_PIPE:
    case KIND_FILE:
        return fd == 0 ? set_input(stage, scene) : make_pipe(fd == 1 ? &stage->out : &stage->err, theirs, false);
    default:
        return 0;
    }
}

int stage_set(struct stage *stage, const struct scene *scene)
{
    *stage = (struct stage){-1, -1, -1, -1, -1, {-1, -1, -1}, -1, -1, -1, {0}};
    bool terminal = false;
    for (int fd = 0; fd < 3; fd++)
        terminal = terminal || scene->kinds[fd] == KIND_TTY;
    int error = terminal ? make_terminal(stage, scene) : 0;
    for (int fd = 0; fd < 3 && error == 0; fd++)
        error = set_one(stage, scene, fd);
    if (error == 0 && scene->kinds[0] == KIND_TTY)
        stage->in = fcntl(stage->terminal, F_DUPFD_CLOEXEC, 3);
    return error;
}

/* A copy would keep a reader or writer alive whose end the tool must see. */
static void close_ours(struct stage *stage)
{
    int *ours[] = {&stage->in, &stage->left, &stage->out, &stage->err, &stage->terminal, &stage->events,
                   &stage->orders};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        close_one(ours[i]);
}

int stage_start(struct stage *stage, const struct scene *scene)
{
    int events[2], orders[2];
    if (pipe2(events, O_CLOEXEC) != 0 || pipe2(orders, O_CLOEXEC) != 0)
        return errno;
    stage->events = events[0];
    stage->orders = orders[1];
    pid_t pid = fork();
    if (pid == 0) {
        close_ours(stage);
        lead(stage, scene, events[1], orders[0]);
    }
    close(events[1]);
    close(orders[0]);
    for (int fd = 0; fd < 3; fd++)
        close_one(&stage->theirs[fd]);
    close_one(&stage->slave);
    return pid < 0 ? errno : 0;
}

void stage_close(struct stage *stage)
{
    close_ours(stage);
    close_one(&stage->slave);
    for (int fd = 0; fd < 3; fd++)
        close_one(&stage->theirs[fd]);
}
