#ifndef CLAWRDEN_SEARCH_H
#define CLAWRDEN_SEARCH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Files that a search for an original must not find: those in the directory of the tool links, and the shim behind
 * them. */
struct avoid {
    bool directory_known, shim_known;
    struct stat directory, shim;
};

/* Used if PATH is not set. */
extern const char default_path[];

/* The first executable `name` on `path`. 0; ENOENT; or EACCES if only files were found that may not be executed.
 * `avoid` may be NULL. A name with a slash is not searched for. */
int search_path(const char *name, const char *path, const struct avoid *avoid, char found[PATH_MAX]);

/* The original of a tool: the first `name.original`, else `name`, without the files in `avoid`. Returns like
 * search_path(). */
int search_original(const char *name, const char *path, const struct avoid *avoid, char found[PATH_MAX]);

#endif
