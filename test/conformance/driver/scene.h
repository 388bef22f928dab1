#ifndef SCENE_H
#define SCENE_H

#include "bytes.h"

enum { KIND_CLOSED, KIND_NULL, KIND_PIPE, KIND_TTY, KIND_SAME, KIND_FILE };

enum step_kind {
    STEP_SLEEP,      /* number: milliseconds */
    STEP_AWAIT,      /* until stdout, or the terminal, says `text` behind where the last one was found */
    STEP_WRITE,      /* `text` to stdin, or the terminal */
    STEP_END_STDIN,
    STEP_SIGNAL,     /* number: to the tool's process group */
    STEP_RESIZE,     /* number: columns * 65536 + rows */
    STEP_CLOSE,      /* number: 1 or 2, the reader's end */
    STEP_STOPPED,    /* until the tool has stopped, which goes to the events */
    STEP_CONTINUE,   /* in the foreground, as the shell's fg does */
    STEP_PAUSE,      /* number: 1 or 2, is not read any more */
    STEP_RESUME,
    STEP_AWAIT_ERR,  /* like STEP_AWAIT, on stderr */
    STEP_KINDS,
};

struct step {
    enum step_kind kind;
    uint32_t number;
    const char *text;
    size_t length;
};

enum { MAX_STEPS = 256 };

/* One case: what runs, with which stdio, and what happens to it meanwhile. */
struct scene {
    uint8_t kinds[3];
    bool keep_stdin; /* look at what is left in the pipe at the end; then nobody there ever meets a SIGPIPE */
    uint32_t umask;
    uint16_t cols, rows;
    uint64_t ignored;
    uint32_t timeout_ms;
    char *cwd;
    char *input; /* path of stdin if it is a file */
    char **argv;
    char **env;
    uint32_t steps;
    struct step step[MAX_STEPS];
};

/* Strings stay in `message`. False if it is not a valid scene. */
bool scene_read(struct scene *scene, uint8_t *message, size_t length);
void scene_free(struct scene *scene);

#endif
