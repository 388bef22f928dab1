#include "forgotten.h"

#include <stdlib.h>
#include <string.h>

/* Above, all of the index is saved at once. */
enum { FORGOTTEN_MOST = 1024 * 1024 };

static bool has_room(struct forgotten *forgotten, size_t length)
{
    size_t needed = forgotten->length + length, room = forgotten->room ? forgotten->room : 4096;
    while (room < needed)
        room *= 2;
    if (room == forgotten->room)
        return true;
    char *paths = room <= FORGOTTEN_MOST ? realloc(forgotten->paths, room) : NULL;
    if (!paths)
        return false;
    forgotten->paths = paths;
    forgotten->room = room;
    return true;
}

void forgotten_add(struct index *index, const struct entry *entry)
{
    struct forgotten *forgotten = &index->forgotten;
    char path[PATH_MOST + 1];
    /* What never changed was never more than a name. */
    if (!index->logs || entry->seq == 0)
        return;
    size_t length = entry_path(entry, path) ? strlen(path) + 1 : 0;
    if (length == 0 || !has_room(forgotten, length)) {
        index_log(index, false);
        return;
    }
    memcpy(forgotten->paths + forgotten->length, path, length);
    forgotten->length += length;
}

void index_log(struct index *index, bool saved)
{
    index->logs = saved;
    index->forgotten.length = 0;
}
