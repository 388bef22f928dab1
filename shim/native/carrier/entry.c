#include <string.h>

#include "index.h"

int names_order(const struct entry *a, const struct entry *b)
{
    int order = memcmp(a->name, b->name, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (int)a->length - (int)b->length;
}

uint32_t entry_depth(const struct entry *entry)
{
    uint32_t depth = 0;
    for (; entry->parent; entry = entry->parent)
        depth++;
    return depth;
}

bool entry_path(const struct entry *entry, char path[PATH_MOST + 1])
{
    size_t at = PATH_MOST;
    path[at] = 0;
    for (; entry->parent; entry = entry->parent) {
        if (at < (size_t)entry->length + 1)
            return false;
        at -= entry->length;
        memcpy(path + at, entry->name, entry->length);
        path[--at] = '/';
    }
    size_t from = at < PATH_MOST ? at + 1 : at;
    memmove(path, path + from, PATH_MOST + 1 - from);
    return true;
}
