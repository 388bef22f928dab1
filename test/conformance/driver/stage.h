#ifndef STAGE_H
#define STAGE_H

#include <sys/types.h>
#include <termios.h>

#include "scene.h"

/* Our ends of the tool's stdio, and the leader: a session of its own with the tool as its one job, as a shell has it. */
struct stage {
    int in;       /* stdin's writing end, or the terminal */
    int left;     /* where what the tool did not read can be read */
    int out, err; /* reading ends */
    int terminal; /* the master */
    int theirs[3];
    int slave;
    int events; /* from the leader: a byte of enum event, then an int */
    int orders; /* to the leader: any byte continues the tool in the foreground */
    struct termios modes; /* of the terminal, before */
};

enum event { EVENT_STARTED, EVENT_STOPPED, EVENT_ENDED, EVENT_FAILED };

/* 0 or an errno. */
int stage_set(struct stage *stage, const struct scene *scene);
int stage_start(struct stage *stage, const struct scene *scene);
void stage_close(struct stage *stage);

#endif
