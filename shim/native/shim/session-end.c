#include "session-end.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "ending.h"
#include "text.h"

void session_lost(struct session *session, const char *why)
{
    source_close(&session->source);
    terminal_restore(&session->terminal);
    ending_own("relay-lost", why);
}

/* The tool wrote into a pipe, so it cannot have seen that its caller's file, disk or device did not take it. */
static void tell_lost_output(const struct session *session)
{
    static const char *const names[] = {"stdin", "stdout", "stderr"};
    for (int fd = 1; fd <= 2; fd++) {
        struct text why = {0};
        if (session->sinks[fd].failed == 0)
            continue;
        text_add(&why, names[fd]);
        text_add(&why, " could not be written: ");
        text_add(&why, strerror(session->sinks[fd].failed));
        ending_own("output-failed", why.bytes);
    }
}

/* It got an end of the file where a local tool gets this error. */
static void tell_lost_input(const struct session *session)
{
    struct text why = {0};
    int error = source_lost(&session->source);
    if (error == 0)
        return;
    text_add(&why, "stdin could not be read: ");
    text_add(&why, strerror(error));
    ending_own("input-failed", why.bytes);
}

void session_exit(struct session *session, int code, int signal)
{
    source_close(&session->source);
    terminal_restore(&session->terminal);
    /* A tool whose output is refused may end by its SIGPIPE, or before it comes. */
    if (code == 0 && (signal == 0 || signal == SIGPIPE))
        tell_lost_output(session);
    if (code == 0 && signal == 0)
        tell_lost_input(session);
    if (signal != 0)
        ending_signal(signal);
    _exit(code);
}
