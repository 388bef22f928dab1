#ifndef CLAWRDEN_PTY_H
#define CLAWRDEN_PTY_H

#include <stdint.h>

/* Makes a new terminal and makes it the controlling one of this process's session. `raw_output`: the terminal does
 * not translate the tool's output. 0 or errno. */
int pty_open(int *master, int *slave, uint16_t cols, uint16_t rows, int raw_output);

void pty_resize(int master, uint16_t cols, uint16_t rows);

#endif
