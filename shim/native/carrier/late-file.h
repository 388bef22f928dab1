/* One file that an exchange took out of the tree, by its number in the grave, and what it was. */
#ifndef CLAWRDEN_CARRIER_LATE_FILE_H
#define CLAWRDEN_CARRIER_LATE_FILE_H

#include "carrier.h"

struct late_file {
    struct late_file *next;
    uint64_t number, inode, size;
    int64_t buried, mtime, ctime;
    uint8_t id[SHA256_BYTES];
    /* The clock has gone on since its last write: another write would leave another time. */
    bool settled;
    /* It had a name outside of the grave when it was last looked at. */
    bool named;
    /* Somebody wrote, and it is not kept yet: there was no room. */
    bool written;
    /* Where it was in the tree. */
    char *path;
};

const char *late_name(const struct late_file *file, char name[24]);

/* A name outside of the grave, in the tree or elsewhere. */
bool late_named(const struct late *late, const struct stat *status);

/* What is known of it is from now on, and it was last written at `mtime`. */
void late_is_now(struct late_file *file, const struct stat *status, int64_t mtime);

/* Somebody wrote since it was taken out, and through no name that it has or had: what is written through one is seen there. */
bool late_written(struct carrier *carrier, struct late_file *file);

#endif
