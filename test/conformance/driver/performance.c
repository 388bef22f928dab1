#include "performance.h"

#include <time.h>
#include <unistd.h>

int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int *stream_fd(struct performance *show, int stream)
{
    return stream == OUT ? &show->stage.out : stream == ERR ? &show->stage.err : &show->stage.terminal;
}

void close_stream(struct performance *show, int stream)
{
    int *fd = stream_fd(show, stream);
    close(*fd);
    *fd = -1;
}

void end_stdin(struct performance *show)
{
    if (show->stage.in >= 0)
        close(show->stage.in);
    show->stage.in = -1;
}
