/*
 * For tests and benchmarks only.
 *   sha256-check WAY digests     of stdin: of nothing, of its first byte, of its first two ... at most 4096, each added in other steps
 *   sha256-check WAY speed       megabytes a second
 * WAY is portable, hardware, or chosen: what the init takes. Status 3: this processor has no such instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sha256.h"

enum { NO_HARDWARE = 3, MEGABYTE = 1000 * 1000 };

static void begin(struct sha256 *hash, const char *way)
{
    sha256_begin(hash);
    if (strcmp(way, "portable") == 0)
        hash->take_blocks = sha256_portable;
    if (strcmp(way, "hardware") == 0 && sha256_hardware() == NULL)
        exit(NO_HARDWARE);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* In steps as the init reads, for half a second of this process's own time. */
static void measure(const char *way)
{
    static uint8_t bytes[16 * 1024];
    struct sha256 hash;
    char hex[SHA256_HEX];
    double began = seconds(), took = 0;
    begin(&hash, way);
    for (; took < 0.5; took = seconds() - began)
        for (int i = 0; i < 64; i++)
            sha256_add(&hash, bytes, sizeof bytes);
    double megabytes = (double)hash.length / MEGABYTE;
    sha256_end(&hash, hex);
    printf("%.0f\n", megabytes / took);
}

static void digest(const char *way, const uint8_t *bytes, size_t length)
{
    struct sha256 hash;
    char hex[SHA256_HEX];
    size_t step = 1 + length * 7 % 200;
    begin(&hash, way);
    for (size_t at = 0; at < length; at += step)
        sha256_add(&hash, bytes + at, length - at < step ? length - at : step);
    sha256_end(&hash, hex);
    printf("%.*s\n", SHA256_HEX, hex);
}

int main(int argc, char **argv)
{
    static uint8_t bytes[4096];
    if (argc != 3)
        return 2;
    if (strcmp(argv[2], "speed") == 0) {
        measure(argv[1]);
        return 0;
    }
    size_t got = fread(bytes, 1, sizeof bytes, stdin);
    for (size_t length = 0; length <= got; length++)
        digest(argv[1], bytes, length);
    return 0;
}
