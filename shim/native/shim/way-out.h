#ifndef CLAWRDEN_WAY_OUT_H
#define CLAWRDEN_WAY_OUT_H

#include <stdbool.h>

/* Whether this program was started by its own name, `.shim`: no tool has it, and the relay starts it so. */
bool way_out_wanted(char *const *argv);

/* The agent's way out: its programs connect to 127.0.0.1:3128 here, and the relay behind the socket at `path` has the
 * other end. Ends the process when the relay ends the connection, or with a line on stderr. */
_Noreturn void way_out_serve(const char *path);

#endif
