#ifndef CLAWRDEN_CARRIER_MEASURE_H
#define CLAWRDEN_CARRIER_MEASURE_H

#include "carrier.h"
#include "reader.h"

/* Answers `measure` of a replica: the room on its disk, and what all of its volume takes there, carried or not. */
void serve_measure(struct carrier *carrier, struct reader *reader);

#endif
