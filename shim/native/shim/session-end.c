#include "session-end.h"

#include <unistd.h>

#include "ending.h"

void session_lost(struct session *session, const char *why)
{
    source_close(&session->source);
    terminal_restore(&session->terminal);
    ending_own("relay-lost", why);
}

void session_exit(struct session *session, int code, int signal)
{
    source_close(&session->source);
    terminal_restore(&session->terminal);
    if (signal != 0)
        ending_signal(signal);
    _exit(code);
}
