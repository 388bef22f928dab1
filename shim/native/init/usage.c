#include "usage.h"

#include <sys/resource.h>

#include "wire.h"

static uint32_t milliseconds(struct timeval time)
{
    return (uint32_t)(time.tv_sec * 1000 + time.tv_usec / 1000);
}

void usage_put(uint8_t at[USAGE_BYTES])
{
    struct rusage usage = {0};
    getrusage(RUSAGE_CHILDREN, &usage);
    put_u32(at, milliseconds(usage.ru_utime));
    put_u32(at + 4, milliseconds(usage.ru_stime));
    put_u32(at + 8, (uint32_t)usage.ru_maxrss);
}
