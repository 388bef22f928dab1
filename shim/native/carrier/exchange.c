#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "area.h"
#include "name-hash.h"

enum { TABLE_FIRST = 1024 };

static uint32_t slot_of(const struct carrier *carrier, const char *path, uint32_t size)
{
    return (uint32_t)name_hash(carrier->index.key, NULL, path, strlen(path)) & (size - 1);
}

struct op *op_at(const struct carrier *carrier, const char *path)
{
    const struct receiving *receiving = carrier->receiving;
    uint32_t slot = slot_of(carrier, path, receiving->table_size), number;
    for (; (number = receiving->table[slot]) != 0; slot = (slot + 1) & (receiving->table_size - 1))
        if (strcmp(receiving->ops[number - 1].path, path) == 0)
            return &receiving->ops[number - 1];
    return NULL;
}

static void put_in_table(struct carrier *carrier, uint32_t number)
{
    struct receiving *receiving = carrier->receiving;
    uint32_t slot = slot_of(carrier, receiving->ops[number].path, receiving->table_size);
    while (receiving->table[slot] != 0)
        slot = (slot + 1) & (receiving->table_size - 1);
    receiving->table[slot] = number + 1;
}

static bool make_room(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    if (receiving->count < receiving->room)
        return true;
    uint32_t room = receiving->room ? receiving->room * 2 : TABLE_FIRST / 2;
    struct op *ops = realloc(receiving->ops, room * sizeof *ops);
    if (!ops)
        return false;
    receiving->ops = ops;
    uint32_t *table = calloc((size_t)room * 2, sizeof *table);
    if (!table)
        return false;
    free(receiving->table);
    receiving->table = table;
    receiving->table_size = room * 2;
    receiving->room = room;
    for (uint32_t number = 0; number < receiving->count; number++)
        put_in_table(carrier, number);
    return true;
}

/* All that it points to is in one piece, with the path at its beginning. */
static void op_free(struct op *op)
{
    free(op->path);
}

void exchange_end(struct carrier *carrier)
{
    struct receiving *receiving = carrier->receiving;
    if (!receiving)
        return;
    for (uint32_t number = 0; number < receiving->count; number++)
        op_free(&receiving->ops[number]);
    way_close(&receiving->staged);
    way_close(&receiving->live);
    if (receiving->writing.fd >= 0)
        close(receiving->writing.fd);
    close(receiving->stage);
    free(receiving->ops);
    free(receiving->table);
    free(receiving);
    carrier->receiving = NULL;
}

bool exchange_begin(struct carrier *carrier)
{
    exchange_end(carrier);
    struct receiving *receiving = calloc(1, sizeof *receiving);
    carrier->receiving = receiving;
    if (!receiving)
        return false;
    receiving->writing.fd = receiving->staged.fd = receiving->live.fd = -1;
    receiving->stage = area_stage(carrier);
    if (receiving->stage < 0 || !make_room(carrier))
        receiving->wrong = "carrier-failed: there is no place to stage in";
    return true;
}

/* A small file is one block, whose id is the file's. Of another name they are asked for only if its first is not here. */
static uint32_t blocks_of(const struct change *change)
{
    if ((change->kind != CHANGE_PUT && change->kind != CHANGE_LINK) || change->wanted.type != TYPE_FILE)
        return 0;
    return change->block_count ? change->block_count : 1;
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

static bool keep(struct op *op, const struct change *change)
{
    *op = (struct op){.kind = change->kind, .bits = change->bits, .was_type = change->was_type, .wanted = change->wanted};
    memcpy(op->was_id, change->was_id, SHA256_BYTES);
    op->count = blocks_of(change);
    op->missing = op->kind == CHANGE_PUT ? op->count : 0;
    op->xattrs_length = change->xattrs_length;
    size_t path = strlen(change->path) + 1, target = strlen(change->target) + 1, ids = (size_t)op->count * SHA256_BYTES;
    uint8_t *at = malloc(path + target + change->xattrs_length + ids + op->count * sizeof *op->have);
    op->path = (char *)at;
    if (!at)
        return false;
    op->target = (char *)put(at, change->path, path);
    op->xattrs = put((uint8_t *)op->target, change->target, target);
    op->blocks = put(op->xattrs, change->xattrs, change->xattrs_length);
    op->have = (bool *)put(op->blocks, change->block_count ? change->blocks : op->wanted.id, ids);
    memset(op->have, 0, op->count * sizeof *op->have);
    return true;
}

struct op *exchange_add(struct carrier *carrier, const struct change *change)
{
    struct receiving *receiving = carrier->receiving;
    if (!make_room(carrier))
        return NULL;
    if (!keep(&receiving->ops[receiving->count], change)) {
        op_free(&receiving->ops[receiving->count]);
        return NULL;
    }
    put_in_table(carrier, receiving->count++);
    return &receiving->ops[receiving->count - 1];
}

void stage_path(const struct carrier *carrier, const struct op *op, char path[PATH_MOST + 16])
{
    const struct op *top = op->inside ? &carrier->receiving->ops[op->inside - 1] : op;
    int length = snprintf(path, 16, "s%u", (uint32_t)(top - carrier->receiving->ops));
    strcpy(path + length, op->path + strlen(top->path));
}
