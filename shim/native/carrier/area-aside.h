#ifndef CLAWRDEN_CARRIER_AREA_ASIDE_H
#define CLAWRDEN_CARRIER_AREA_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

/* The area of another user at this name gives way with all that is in it, unless a carrier is at work on it. If nothing
 * is at the name then, an area of `uid` that gave way earlier comes back. */
void aside_change(int parent, const char *name, uint32_t uid);

/* Whether an area called `area` may have given way to this name. */
bool aside_named(const char *area, const char *name);

#endif
