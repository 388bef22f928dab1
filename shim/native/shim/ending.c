#include "ending.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "text.h"

/* Every other failure of Clawrden itself has exit code 125. */
static int code_of(const char *reason)
{
    if (strcmp(reason, "too-large") == 0 || strcmp(reason, "name-mismatch") == 0)
        return 1;
    if (strcmp(reason, "not-executable") == 0)
        return 126;
    if (strcmp(reason, "not-found") == 0)
        return 127;
    return 125;
}

void ending_own(const char *reason, const char *text)
{
    struct text line = {0};
    text_add(&line, "clawrden: ");
    text_add(&line, reason);
    text_add(&line, ": ");
    text_add(&line, text);
    text_make_safe(&line);
    if (line.length == sizeof line.bytes - 1)
        line.length--;
    line.bytes[line.length++] = '\n';
    /* If even this fails, there is no way to report it. */
    if (write(2, line.bytes, line.length) < 0)
        _exit(code_of(reason));
    _exit(code_of(reason));
}

void ending_signal(int number)
{
    struct rlimit none = {0, 0};
    sigset_t only;
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    kill(getpid(), number);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    _exit(128 + number);
}
