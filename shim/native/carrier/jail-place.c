/* A path that leads out of the jail would show where the workspace is, and so would lead to more. The kernel tells it of
 * a mount without one: a folder that was renamed has another name there, and one that is gone says so. */
#include "jail-place.h"

#include <string.h>
#include <unistd.h>

#include "content.h"

enum { TABLE_MOST = 64 * 1024 };

static bool read_table(int mounts, char table[TABLE_MOST])
{
    size_t length = 0;
    ssize_t got;
    while ((got = pread(mounts, table + length, TABLE_MOST - 1 - length, (off_t)length)) > 0)
        length += (size_t)got;
    table[length] = 0;
    return got == 0 && length > 0 && length < TABLE_MOST - 1 && table[length - 1] == '\n';
}

static char *behind_fields(char *text, int count)
{
    for (; text && count > 0; count--) {
        text = strchr(text, ' ');
        text = text ? text + 1 : NULL;
    }
    return text;
}

bool place_read(int mounts, const char *point, uint8_t id[SHA256_BYTES])
{
    static char table[TABLE_MOST];
    size_t said = 0, named = strlen(point);
    if (!read_table(mounts, table))
        return false;
    /* Each line: its id, that of its parent, device, folder of the device, mount point, and what may change. */
    for (char *next, *line = table; *line; line = next) {
        next = strchr(line, '\n');
        *next++ = 0;
        char *from = behind_fields(line, 2), *at = behind_fields(line, 4);
        if (!at || strncmp(at, point, named) != 0 || at[named] != ' ')
            continue;
        size_t length = (size_t)(at - from);
        memmove(table + said, from, length);
        said += length;
    }
    bytes_id(table, said, id);
    return said > 0;
}
