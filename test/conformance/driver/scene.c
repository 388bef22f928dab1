#include "scene.h"

#include <stdlib.h>

static char **read_list(struct reader *reader)
{
    size_t length;
    uint32_t count = read_u32(reader);
    if (count > 1 << 20)
        reader->bad = true;
    char **list = reader->bad ? NULL : calloc((size_t)count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = read_string(reader, &length);
    return list;
}

static void read_step(struct reader *reader, struct step *step)
{
    step->kind = read_u8(reader);
    step->number = read_u32(reader);
    step->text = read_string(reader, &step->length);
    if (step->kind >= STEP_KINDS)
        reader->bad = true;
}

bool scene_read(struct scene *scene, uint8_t *message, size_t length)
{
    struct reader reader = {.at = message, .end = message + length};
    size_t ignored_length;
    for (int fd = 0; fd < 3; fd++)
        scene->kinds[fd] = read_u8(&reader);
    scene->keep_stdin = read_u8(&reader) != 0;
    scene->umask = read_u32(&reader);
    scene->cols = (uint16_t)read_u32(&reader);
    scene->rows = (uint16_t)read_u32(&reader);
    scene->ignored = read_u64(&reader);
    scene->timeout_ms = read_u32(&reader);
    scene->cwd = read_string(&reader, &ignored_length);
    scene->input = read_string(&reader, &ignored_length);
    scene->argv = read_list(&reader);
    scene->env = read_list(&reader);
    scene->steps = read_u32(&reader);
    if (scene->steps > MAX_STEPS)
        reader.bad = true;
    for (uint32_t i = 0; !reader.bad && i < scene->steps; i++)
        read_step(&reader, &scene->step[i]);
    return !reader.bad && scene->argv && scene->env && scene->argv[0];
}

void scene_free(struct scene *scene)
{
    free(scene->argv);
    free(scene->env);
}
