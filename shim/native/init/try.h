#ifndef CLAWRDEN_TRY_H
#define CLAWRDEN_TRY_H

/* Tries to connect to each ADDRESS PORT of `words`, `count` words in all, and prints those that took it, a line each. It
 * listens itself on port 3128 meanwhile, for another one of its kind. Ends after MS, the first of the words. Returns what
 * the process exits with. */
int try_all(int count, char **words);

#endif
