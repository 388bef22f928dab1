/* Looks at the tree and brings the index up to date. */
#ifndef CLAWRDEN_CARRIER_LOOK_H
#define CLAWRDEN_CARRIER_LOOK_H

#include "carrier.h"

/* Looks at one name of an open folder. True where it is a folder whose inside is not known. */
bool look(struct carrier *carrier, int folder, struct entry *entry);

/* Looks at all that is in an open folder and below. */
void scan(struct carrier *carrier, struct entry *folder, int fd);

/* The same of an entry of an open folder, if it still is the folder that was looked at. */
void scan_inside(struct carrier *carrier, int fd, struct entry *entry);

/* Looks at the root itself, and where `all` at everything in it. */
void scan_root(struct carrier *carrier, bool all);

/* The entry is gone: nothing in it is watched any more. */
void lose(struct carrier *carrier, struct entry *entry);

/* Another thing has its name. What was in it is gone only if that thing is no folder, or once that folder was read. */
void replaced(struct carrier *carrier, struct entry *entry, bool by_folder);

/* It is not carried, whatever it was before. */
void leave_out(struct carrier *carrier, struct entry *entry, enum skip skip);

/* What errno says of a folder that was not opened or read: SKIP_NOT if it is away or closed, else why it is not carried. */
enum skip folder_unread(struct carrier *carrier);

#endif
