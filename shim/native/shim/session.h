#ifndef CLAWRDEN_SESSION_H
#define CLAWRDEN_SESSION_H

#include "caller.h"
#include "frames.h"
#include "outbox.h"
#include "request.h"
#include "sink.h"
#include "source.h"
#include "terminal.h"

/* One command, from the connection to its exit frame. */
struct session {
    struct caller caller;
    int signals;
    struct frames in;
    struct outbox out;
    struct source source;
    struct sink sinks[3];
    struct terminal terminal;
    /* closed(1) and closed(2) were sent. */
    bool told_gone[3];
    /* A frame waits for this output. */
    int blocked;
};

enum answer { ANSWER_RUN, ANSWER_ORIGINAL };

/* Sends the request and waits for the decision: 30 s for the first ack, then without a limit. Ends the process if a
 * signal comes meanwhile, or if the relay is lost. */
enum answer session_ask(struct session *session, const struct request *request);

/* Serves the tool until it has ended, and ends in the same way. */
_Noreturn void session_serve(struct session *session);

#endif
