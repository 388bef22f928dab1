#ifndef PLAY_H
#define PLAY_H

#include "scene.h"

/* Runs the scene to its end and adds its record. */
void play(const struct scene *scene, struct bytes *record);

#endif
