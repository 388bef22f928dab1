#ifndef CLAWRDEN_SEARCH_H
#define CLAWRDEN_SEARCH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* What a search for an original must not find: the directory of the tool links, and the shim behind them. */
struct avoid {
    bool directory_known, shim_known;
    struct stat directory, shim;
};

/* Where PATH is not set. */
extern const char default_path[];

/* The first `name` on `path` that may be executed. 0, or ENOENT, or EACCES where only others were found.
 * `avoid` may be NULL. A name with a slash is taken as it is. */
int search_path(const char *name, const char *path, const struct avoid *avoid, char found[PATH_MAX]);

/* The original of a tool: the first `name.original`, else `name`, with `avoid` left out. As search_path(). */
int search_original(const char *name, const char *path, const struct avoid *avoid, char found[PATH_MAX]);

#endif
