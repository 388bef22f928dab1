#include "arena.h"

#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)0)
#endif

enum {
    GROWS_BY = 256 * 1024,
    /* A piece that is left of a larger one is of use to a short name at least. */
    LEFT_LEAST = 6,
};

/* Addresses only: memory is what was made writable. Two pieces are never further from each other than a way can say. */
static const size_t room = (size_t)8 << 30;

bool arena_begin(struct arena *arena)
{
    *arena = (struct arena){.used = ARENA_UNIT};
    void *base = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    arena->base = base == MAP_FAILED ? NULL : base;
    return arena->base;
}

void arena_end(struct arena *arena)
{
    if (!arena->base)
        return;
    ASAN_UNPOISON_MEMORY_REGION(arena->base, arena->writable);
    munmap(arena->base, room);
    *arena = (struct arena){0};
}

static bool make_writable(struct arena *arena, size_t needed)
{
    if (needed <= arena->writable)
        return true;
    if (!arena->base || arena->writable + GROWS_BY > room)
        return false;
    if (mprotect(arena->base + arena->writable, GROWS_BY, PROT_READ | PROT_WRITE) != 0)
        return false;
    arena->writable += GROWS_BY;
    return true;
}

static uint8_t *take_back(struct arena *arena, size_t size)
{
    uint8_t *piece = arena_at(arena, arena->given_back[size]);
    if (!piece)
        return NULL;
    ASAN_UNPOISON_MEMORY_REGION(piece, size * ARENA_UNIT);
    memcpy(&arena->given_back[size], piece, sizeof *arena->given_back);
    return piece;
}

static void put_back(struct arena *arena, uint8_t *piece, size_t size)
{
    memcpy(piece, &arena->given_back[size], sizeof *arena->given_back);
    arena->given_back[size] = arena_place(arena, piece);
    ASAN_POISON_MEMORY_REGION(piece, size * ARENA_UNIT);
}

/* Names of other lengths than before are made of what those left. */
static uint8_t *take_of_larger(struct arena *arena, size_t size)
{
    for (size_t larger = size + LEFT_LEAST; larger < ARENA_SIZES; larger++) {
        uint8_t *piece = take_back(arena, larger);
        if (!piece)
            continue;
        put_back(arena, piece + size * ARENA_UNIT, larger - size);
        return piece;
    }
    return NULL;
}

void *arena_take(struct arena *arena, size_t bytes)
{
    size_t size = (bytes + ARENA_UNIT - 1) / ARENA_UNIT;
    if (size >= ARENA_SIZES)
        return NULL;
    uint8_t *piece = take_back(arena, size);
    if (!piece)
        piece = take_of_larger(arena, size);
    if (!piece && make_writable(arena, arena->used + size * ARENA_UNIT)) {
        piece = arena->base + arena->used;
        arena->used += size * ARENA_UNIT;
    }
    if (piece)
        memset(piece, 0, size * ARENA_UNIT);
    return piece;
}

void arena_give(struct arena *arena, void *piece, size_t bytes)
{
    if (piece)
        put_back(arena, piece, (bytes + ARENA_UNIT - 1) / ARENA_UNIT);
}
