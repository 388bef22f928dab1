#ifndef CLAWRDEN_SESSION_END_H
#define CLAWRDEN_SESSION_END_H

#include "session.h"

/* Every way out of a session puts back what the caller's terminal and stdin were before. */
_Noreturn void session_lost(struct session *session, const char *why);
_Noreturn void session_exit(struct session *session, int code, int signal);

#endif
