#ifndef CLAWRDEN_CARRIER_FOLDERS_H
#define CLAWRDEN_CARRIER_FOLDERS_H

#include "carrier.h"

/* The folder that is open, because the next entry is often in the same. Start with {NULL, -1}. */
struct open_folder {
    const struct entry *entry;
    int fd;
};

/* The folder that the entry is in. -1 if it cannot be reached, or if another folder is in its place (ENOENT): what is in
 * that one says nothing of this entry. */
int folder_of(struct carrier *carrier, const struct entry *entry, struct open_folder *open_folder);
void folder_close(struct open_folder *open_folder);

#endif
