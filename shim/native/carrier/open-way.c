#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "descriptors.h"
#include "exchange.h"

void way_close(struct way *way)
{
    descriptor_shut(&way->fd);
}

int way_to(struct way *way, int base, const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    *name = slash ? slash + 1 : path;
    if (way->fd >= 0 && strlen(way->folder) == length && memcmp(way->folder, path, length) == 0)
        return way->fd;
    way_close(way);
    if (length >= sizeof way->folder)
        return -1;
    memcpy(way->folder, path, length);
    way->folder[length] = 0;
    way->fd = beneath_open(base, way->folder, O_PATH | O_DIRECTORY);
    return way->fd;
}
