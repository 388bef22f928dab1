/* The driver: runs one scene after another as they come on stdin, and answers each with a record on stdout. Both are
 * a u32 length and that many bytes, see scene.c and play.c. It is PID 1 of a container, or started in one. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "play.h"

static bool read_all(void *to, size_t length)
{
    uint8_t *at = to;
    while (length > 0) {
        ssize_t got = read(0, at, length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        length -= (size_t)got;
    }
    return true;
}

static bool write_all(const uint8_t *at, size_t length)
{
    while (length > 0) {
        ssize_t done = write(1, at, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        length -= (size_t)done;
    }
    return true;
}

static bool answer(uint8_t *message, size_t length)
{
    static struct scene scene;
    struct bytes record = {0}, head = {0};
    if (!scene_read(&scene, message, length))
        return false;
    play(&scene, &record);
    bytes_add_u32(&head, (uint32_t)record.length);
    bool sent = write_all(head.at, head.length) && write_all(record.at, record.length);
    scene_free(&scene);
    free(head.at);
    free(record.at);
    return sent;
}

int main(void)
{
    uint8_t head[4];
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    while (read_all(head, sizeof head)) {
        struct reader reader = {.at = head, .end = head + sizeof head};
        uint32_t length = read_u32(&reader);
        uint8_t *message = malloc(length);
        if (!message || !read_all(message, length) || !answer(message, length))
            return 2;
        free(message);
    }
    return 0;
}
