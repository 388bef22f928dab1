#ifndef PLAY_H
#define PLAY_H

#include "scene.h"

/* Runs the scene to its end and adds the record of it. */
void play(const struct scene *scene, struct bytes *record);

#endif
