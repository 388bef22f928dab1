#include "outbox.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "wire.h"

bool outbox_put(struct outbox *outbox, uint8_t type, const void *payload, size_t length)
{
    if (outbox_empty(outbox))
        outbox->start = outbox->end = 0;
    if (OUTBOX_BYTES - outbox->end < FRAME_HEADER + length)
        return false;
    uint8_t *at = outbox->bytes + outbox->end;
    at[0] = type;
    put_u32(at + 1, (uint32_t)length);
    if (length > 0)
        memcpy(at + FRAME_HEADER, payload, length);
    outbox->end += FRAME_HEADER + length;
    return true;
}

uint8_t *outbox_hole(struct outbox *outbox)
{
    outbox->start = outbox->end = 0;
    return outbox->bytes + FRAME_HEADER;
}

void outbox_fill(struct outbox *outbox, uint8_t type, size_t length)
{
    outbox->bytes[0] = type;
    put_u32(outbox->bytes + 1, (uint32_t)length);
    outbox->end = FRAME_HEADER + length;
}

size_t outbox_flush(struct outbox *outbox)
{
    size_t written = 0;
    while (!outbox_empty(outbox) && !outbox->gone) {
        ssize_t sent = write(outbox->fd, outbox->bytes + outbox->start, outbox->end - outbox->start);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            break;
        if (sent < 0) {
            outbox->gone = true;
            break;
        }
        outbox->start += (size_t)sent;
        written += (size_t)sent;
    }
    if (outbox->gone)
        outbox->start = outbox->end = 0;
    return written;
}
