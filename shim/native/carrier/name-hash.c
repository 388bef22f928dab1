#include "name-hash.h"

#include <string.h>

struct sip {
    uint64_t a, b, c, d;
};

static uint64_t turn(uint64_t word, int by)
{
    return word << by | word >> (64 - by);
}

static void sip_round(struct sip *sip)
{
    sip->a += sip->b;
    sip->b = turn(sip->b, 13) ^ sip->a;
    sip->a = turn(sip->a, 32);
    sip->c += sip->d;
    sip->d = turn(sip->d, 16) ^ sip->c;
    sip->a += sip->d;
    sip->d = turn(sip->d, 21) ^ sip->a;
    sip->c += sip->b;
    sip->b = turn(sip->b, 17) ^ sip->c;
    sip->c = turn(sip->c, 32);
}

static void sip_add(struct sip *sip, uint64_t word)
{
    sip->d ^= word;
    sip_round(sip);
    sip->a ^= word;
}

static struct sip sip_begin(const uint64_t key[2])
{
    return (struct sip){key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                        key[1] ^ 0x7465646279746573};
}

static uint64_t sip_end(struct sip *sip)
{
    sip->c ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(sip);
    return sip->a ^ sip->b ^ sip->c ^ sip->d;
}

uint64_t name_hash(const uint64_t key[2], const void *folder, const char *name, size_t length)
{
    struct sip sip = sip_begin(key);
    sip_add(&sip, (uint64_t)(uintptr_t)folder);
    for (size_t at = 0; at <= length; at += 8) {
        uint64_t word = 0;
        size_t part = length - at < 8 ? length - at : 8;
        memcpy(&word, name + at, part);
        sip_add(&sip, word ^ (uint64_t)length << 56);
    }
    return sip_end(&sip);
}

uint64_t number_hash(const uint64_t key[2], uint64_t number)
{
    struct sip sip = sip_begin(key);
    sip_add(&sip, number);
    return sip_end(&sip);
}
