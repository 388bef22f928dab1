#ifndef PERFORMANCE_H
#define PERFORMANCE_H

#include "stage.h"

enum { FLAG_TIMED_OUT = 1, FLAG_STDIN_BROKEN = 2, FLAG_UNDRAINED = 4, FLAG_FAILED = 8 };

enum { OUT, ERR, TERMINAL, STREAMS };

struct performance {
    const struct scene *scene;
    struct stage stage;
    struct bytes said[STREAMS];
    size_t found[2]; /* behind the last text that was awaited: on stdout or the terminal, and on stderr */
    bool paused[STREAMS];
    struct bytes events; /* a line each */
    uint32_t at;         /* the step that waits or comes next */
    size_t written;      /* of the step's text */
    int64_t step_since;
    bool stopped, ended;
    pid_t tool;
    int status;
    uint32_t flags;
};

int64_t now_ms(void);

/* Our reading end of it, -1 once it has ended. */
int *stream_fd(struct performance *show, int stream);
void close_stream(struct performance *show, int stream);

void end_stdin(struct performance *show);

#endif
