#include "notice.h"

#include <string.h>

#include "text.h"

void notice_show(struct session *session, const struct piece *piece)
{
    struct sink *sink = &session->sinks[2];
    struct text line = {0};
    if (sink->kind != CALLER_TTY || piece->total == 0 || piece->offset > 0)
        return;
    text_add(&line, "clawrden: ");
    /* Two bytes are reserved for the end of the line. */
    size_t room = sizeof line.bytes - 3 - line.length;
    text_add_bytes(&line, (const char *)piece->bytes, piece->length < room ? piece->length : room);
    text_make_safe(&line);
    text_add(&line, session->terminal.raw ? "\r\n" : "\n");
    /* If the terminal does not take it now, the notice is not worth waiting for. */
    sink_write(sink, line.bytes, line.length);
}
