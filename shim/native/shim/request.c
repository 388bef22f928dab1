#include "request.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "utf8.h"
#include "wire.h"

const char *request_tool(char *const *argv)
{
    const char *name = argv[0] ? argv[0] : "";
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* Entries that no program passes on purpose, and for which the relay would refuse the whole request. */
static bool assigns(const char *entry)
{
    return entry[0] != '=' && strchr(entry, '=');
}

static const char *check_arguments(char *const *argv, struct text *why)
{
    for (size_t i = 0; argv[i]; i++) {
        if (utf8_valid(argv[i]))
            continue;
        text_add(why, "argument ");
        text_add_number(why, i);
        text_add(why, " is not UTF-8; rename the file or pass it through a file list");
        return "not-utf8";
    }
    return NULL;
}

static const char *check_environment(char *const *env, struct text *why)
{
    for (; *env; env++) {
        if (!assigns(*env) || utf8_valid(*env))
            continue;
        text_add(why, "the environment variable ");
        text_add_bytes(why, *env, (size_t)(strchr(*env, '=') - *env));
        text_add(why, " is not UTF-8; unset it");
        return "not-utf8";
    }
    return NULL;
}

static void add_list(struct json *json, char *const *list, bool only_assignments)
{
    const char *comma = "";
    json_raw(json, "[");
    for (; *list; list++) {
        if (only_assignments && !assigns(*list))
            continue;
        json_raw(json, comma);
        json_string(json, *list);
        comma = ",";
    }
    json_raw(json, "]");
}

static void add_field(struct json *json, const char *name, unsigned long number)
{
    json_raw(json, name);
    json_number(json, number);
}

static void add_stdio(struct json *json, const struct caller *caller)
{
    json_raw(json, ",\"stdio\":[");
    for (int fd = 0; fd < 3; fd++) {
        bool joined = fd == 2 && caller->joined;
        json_raw(json, fd > 0 ? "," : "");
        json_string(json, joined ? "=1" : caller_stdio_name(caller->stdio[fd]));
    }
    json_raw(json, "]");
}

static uint64_t signals_in(const sigset_t *set)
{
    uint64_t signals = 0;
    for (int number = 1; number <= 64; number++)
        if (sigismember(set, number) == 1)
            signals |= (uint64_t)1 << (number - 1);
    return signals;
}

static void add_signals(struct json *json, const char *key, uint64_t signals)
{
    const char *comma = "";
    json_raw(json, key);
    for (unsigned number = 1; number <= 64; number++) {
        if ((signals >> (number - 1) & 1) == 0)
            continue;
        json_raw(json, comma);
        json_number(json, number);
        comma = ",";
    }
    json_raw(json, "]");
}

static void add_terminal(struct json *json, const struct caller *caller)
{
    if (caller->terminal < 0)
        return;
    add_field(json, ",\"tty\":{\"cols\":", caller->cols);
    add_field(json, ",\"rows\":", caller->rows);
    json_raw(json, "}");
}

static void add_request(struct json *json, const struct caller *caller, char *const *argv, char *const *env,
                        const char *cwd)
{
    json_raw(json, "{\"v\":1,\"command\":");
    json_string(json, request_tool(argv));
    json_raw(json, ",\"args\":");
    add_list(json, argv[0] ? argv + 1 : argv, false);
    json_raw(json, ",\"cwd\":");
    json_string(json, cwd);
    json_raw(json, ",\"env\":");
    add_list(json, env, true);
    add_field(json, ",\"identity\":{\"uid\":", geteuid());
    add_field(json, ",\"gid\":", getegid());
    add_field(json, "},\"umask\":", caller->umask);
    add_stdio(json, caller);
    uint64_t blocked = signals_in(&caller->blocked);
    add_signals(json, ",\"ignored\":[", caller->ignored);
    /* A relay of before does not know it, and rarely any is. */
    if (blocked != 0)
        add_signals(json, ",\"blocked\":[", blocked);
    add_terminal(json, caller);
    json_raw(json, "}");
}

static const char *find_cwd(char cwd[PATH_MAX], struct text *why)
{
    char *found = getcwd(cwd, PATH_MAX);
    if (!found && (errno == ERANGE || errno == ENAMETOOLONG)) {
        text_add(why, "the path of the current directory is over 4 KiB; change to one nearer the root");
        return "too-large";
    }
    if (!found || cwd[0] != '/') {
        text_add(why, "the current directory does not exist any more; change to another one");
        return "cwd-missing";
    }
    if (utf8_valid(cwd))
        return NULL;
    text_add(why, "the path of the current directory is not UTF-8; rename it");
    return "not-utf8";
}

const char *request_make(struct request *request, const struct caller *caller, char *const *argv, char *const *env,
                         struct text *why)
{
    char cwd[PATH_MAX];
    const char *reason = check_arguments(argv, why);
    if (!reason)
        reason = check_environment(env, why);
    if (!reason)
        reason = find_cwd(cwd, why);
    if (reason)
        return reason;
    struct json json = {.bytes = (char *)request->bytes + 4, .capacity = REQUEST_MAX};
    add_request(&json, caller, argv, env, cwd);
    if (json.full) {
        text_add(why, "arguments and environment together are over 1 MiB; pass fewer at once");
        return "too-large";
    }
    put_u32(request->bytes, (uint32_t)json.length);
    request->length = 4 + json.length;
    return NULL;
}
