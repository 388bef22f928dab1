#include "entry.h"

static struct record unpack(const struct packed *packed)
{
    const struct manner *manner = way_end(packed, packed->manner);
    struct record record = {.type = (uint8_t)manner->type, .mode = manner->mode, .uid = manner->uid, .gid = manner->gid};
    record.mtime = packed->mtime;
    record.size = packed->size;
    record.link = manner->link;
    memcpy(record.id, packed->id, SHA256_BYTES);
    memcpy(record.xattrs, manner->xattrs, SHA256_BYTES);
    return record;
}

static const struct manner *manner_of(const struct entry *entry)
{
    static const struct manner none;
    const struct facts *facts = entry_facts(entry);
    return facts ? way_end(&facts->now, facts->now.manner) : &none;
}

struct record entry_now(const struct entry *entry)
{
    const struct facts *facts = entry_facts(entry);
    return facts ? unpack(&facts->now) : (struct record){0};
}

const uint8_t *entry_id(const struct entry *entry)
{
    static const uint8_t none[SHA256_BYTES];
    const struct facts *facts = entry_facts(entry);
    return facts ? facts->now.id : none;
}

uint64_t entry_size(const struct entry *entry)
{
    const struct facts *facts = entry_facts(entry);
    return facts ? facts->now.size : 0;
}

uint32_t entry_mode(const struct entry *entry)
{
    return manner_of(entry)->mode;
}

uint64_t entry_link(const struct entry *entry)
{
    return manner_of(entry)->link;
}

int64_t entry_mtime(const struct entry *entry)
{
    const struct facts *facts = entry_facts(entry);
    return facts ? facts->now.mtime : 0;
}

uint64_t entry_inode(const struct entry *entry)
{
    const struct facts *facts = entry_facts(entry);
    return facts ? facts->inode : 0;
}

int64_t entry_ctime(const struct entry *entry)
{
    const struct facts *facts = entry_facts(entry);
    return facts ? facts->ctime : 0;
}

uint8_t (*entry_blocks(const struct entry *entry))[SHA256_BYTES]
{
    const struct facts *facts = entry_facts(entry);
    uint8_t (**blocks)[SHA256_BYTES] = facts ? way_end(&facts->now, facts->now.blocks) : NULL;
    return blocks ? *blocks : NULL;
}

bool entry_is(const struct entry *entry, const struct record *record)
{
    struct record now = entry_now(entry);
    return record_same(&now, record);
}

bool entry_base(const struct entry *entry, struct record *base)
{
    if (entry->base == 0)
        return false;
    *base = entry->base == BASE_NONE ? (struct record){0} : unpack(way_end(entry, entry->base));
    return true;
}

bool entry_dirty(const struct entry *entry)
{
    struct record base;
    return entry_base(entry, &base) && !entry_is(entry, &base);
}

bool entry_had_folder(const struct entry *entry)
{
    struct record base;
    return entry->type == TYPE_FOLDER && (!entry_base(entry, &base) || base.type == TYPE_FOLDER);
}

void entry_unsaved(struct entry *entry)
{
    entry->flags |= ENTRY_UNSAVED;
    for (struct entry *above = entry_parent(entry); above && !(above->flags & ENTRY_UNSAVED_BELOW); above = entry_parent(above))
        above->flags |= ENTRY_UNSAVED_BELOW;
}

int names_order(const struct entry *a, const struct entry *b)
{
    int order = memcmp(a->name, b->name, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (int)a->length - (int)b->length;
}

uint32_t entry_depth(const struct entry *entry)
{
    uint32_t depth = 0;
    for (; entry->parent; entry = entry_parent(entry))
        depth++;
    return depth;
}

bool entry_path(const struct entry *entry, char path[PATH_MOST + 1])
{
    size_t at = PATH_MOST;
    path[at] = 0;
    for (; entry->parent; entry = entry_parent(entry)) {
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
