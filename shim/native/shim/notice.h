#ifndef CLAWRDEN_NOTICE_H
#define CLAWRDEN_NOTICE_H

#include "session.h"

/* Shows a line for people, only if stderr is a terminal. */
void notice_show(struct session *session, const struct piece *piece);

#endif
