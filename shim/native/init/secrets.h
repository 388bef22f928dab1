#ifndef CLAWRDEN_SECRETS_H
#define CLAWRDEN_SECRETS_H

/* Writes each file of a plan, which must not be there yet; only the tool's user may read it. 0 or errno. */
int secrets_write(char *const *files);

#endif
