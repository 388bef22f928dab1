/* The shim: what an agent runs instead of a tool. It sends its arguments and environment to the relay, and then behaves
 * like the tool that the relay runs; docs/protocol.md describes the wire. By its own name it is the agent's way out. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "called-as.h"
#include "descriptors.h"
#include "dial.h"
#include "ending.h"
#include "environment.h"
#include "listener.h"
#include "passthrough.h"
#include "request.h"
#include "session.h"
#include "signals.h"
#include "way-out.h"

extern char **environ;

static const char default_socket[] = "/var/run/clawrden/warden.sock";

static const char *socket_path(void)
{
    const char *path = environment_value(environ, "CLAWRDEN_SOCKET");
    return path && path[0] ? path : default_socket;
}

static void connect_to_relay(struct session *session)
{
    struct text why = {0};
    const char *path = socket_path();
    int fd = dial(path, session->signals, &why);
    if (fd < 0 && errno == EINTR)
        ending_signal(signals_next(session->signals));
    if (fd < 0 || !listener_trusted(fd, path, &why))
        ending_own("relay-unreachable", why.bytes);
    session->in.fd = fd;
}

static void open_stdio(struct session *session)
{
    const struct caller *caller = &session->caller;
    for (int fd = 1; fd <= 2; fd++)
        sink_open(&session->sinks[fd], fd, caller->stdio[fd]);
    source_open(&session->source, caller->stdio[0]);
    terminal_open(&session->terminal, caller);
}

int main(int argc, char **argv)
{
    static struct session session;
    static struct request request;
    struct text why = {0};
    (void)argc;
    if (!called_as_linked(argv, &why))
        ending_own("name-mismatch", why.bytes);
    if (way_out_wanted(argv)) {
        signal(SIGPIPE, SIG_IGN);
        way_out_serve(socket_path());
    }
    caller_look(&session.caller);
    open_stdio(&session);
    if (!descriptors_guard() || (session.signals = signals_open(session.caller.ignored)) < 0)
        ending_own("internal", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    const char *reason = request_make(&request, &session.caller, argv, environ, &why);
    if (reason)
        ending_own(reason, why.bytes);
    connect_to_relay(&session);
    if (session_ask(&session, &request) == ANSWER_ORIGINAL)
        passthrough(&session.caller, argv, environ);
    session_serve(&session);
}
