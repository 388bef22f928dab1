#ifndef CLAWRDEN_SESSION_END_H
#define CLAWRDEN_SESSION_END_H

#include "session.h"

/* Every end of a session restores the caller's terminal and stdin. */
_Noreturn void session_lost(struct session *session, const char *why);
_Noreturn void session_exit(struct session *session, int code, int signal);

#endif
