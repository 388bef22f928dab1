#include "cut.h"

#include "clocks.h"

bool cut_said(struct cut *cut, const struct stream *stream)
{
    int64_t now = monotonic_ms();
    if (now != cut->looked && !cut->said)
        cut->said = stream_asked(stream);
    cut->looked = now;
    return cut->said || stream->broken;
}
