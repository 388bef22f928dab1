/* Small pieces of memory close to each other, so that one finds another by four bytes: its distance. */
#ifndef CLAWRDEN_CARRIER_ARENA_H
#define CLAWRDEN_CARRIER_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARENA_UNIT = 8, ARENA_PIECE_MOST = 512, ARENA_SIZES = ARENA_PIECE_MOST / ARENA_UNIT + 1 };

struct arena {
    uint8_t *base;
    size_t used, writable;
    /* Pieces that were given back, by their size. */
    uint32_t given_back[ARENA_SIZES];
};

bool arena_begin(struct arena *arena);
void arena_end(struct arena *arena);

/* Zeros, at most ARENA_PIECE_MOST bytes; NULL if memory is short. */
void *arena_take(struct arena *arena, size_t bytes);
void arena_give(struct arena *arena, void *piece, size_t bytes);

/* A place in the arena for a table: never 0. */
static inline uint32_t arena_place(const struct arena *arena, const void *piece)
{
    return (uint32_t)((size_t)((const uint8_t *)piece - arena->base) / ARENA_UNIT);
}

/* NULL of 0. */
static inline void *arena_at(const struct arena *arena, uint32_t place)
{
    return place ? arena->base + (size_t)place * ARENA_UNIT : NULL;
}

/* The way from one piece to another, 0 to none. */
static inline int32_t way_between(const void *from, const void *to)
{
    return to ? (int32_t)(((intptr_t)to - (intptr_t)from) / ARENA_UNIT) : 0;
}

static inline void *way_end(const void *from, int32_t way)
{
    return way ? (void *)((intptr_t)from + (intptr_t)way * ARENA_UNIT) : NULL;
}

#endif
