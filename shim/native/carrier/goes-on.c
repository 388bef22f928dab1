#include "goes-on.h"

#include "clocks.h"

enum { SILENT_MS = 5000 };

void goes_on_begin(struct carrier *carrier)
{
    carrier->goes_on.asked = true;
    carrier->goes_on.said = monotonic_ms();
}

void goes_on_end(struct carrier *carrier)
{
    carrier->goes_on.asked = false;
}

/* During a look in the background a request may come. */
static bool is_asked(const struct carrier *carrier)
{
    return carrier->goes_on.asked || stream_asked(&carrier->stream);
}

void goes_on(void *context)
{
    struct carrier *carrier = context;
    int64_t now = monotonic_ms();
    if (now - carrier->goes_on.said < SILENT_MS)
        return;
    carrier->goes_on.said = now;
    if (is_asked(carrier))
        stream_hint(&carrier->stream, FRAME_WORKING);
}
