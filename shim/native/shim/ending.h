#ifndef CLAWRDEN_ENDING_H
#define CLAWRDEN_ENDING_H

/* The shim's own ends: one line `clawrden: reason: text` on stderr, and the exit code of that reason. */
_Noreturn void ending_own(const char *reason, const char *text);

/* Ends this process by signal `number` without a core dump. If that is not possible (PID 1), exits with 128 + number.
 */
_Noreturn void ending_signal(int number);

#endif
