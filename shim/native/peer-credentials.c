/* Node-API addon: peerCredentials(fd) → { pid, uid, gid } of whoever connected to a Unix socket, as the kernel saw
 * him at connect(2). Throws an Error with the system's reason where the descriptor has none. */
#include <errno.h>
#include <node_api.h>
#include <string.h>
#include <sys/socket.h>

static napi_value fail(napi_env env, const char *what)
{
    napi_throw_error(env, NULL, what);
    return NULL;
}

static bool set_number(napi_env env, napi_value object, const char *name, double number)
{
    napi_value value;
    return napi_create_double(env, number, &value) == napi_ok
        && napi_set_named_property(env, object, name, value) == napi_ok;
}

static napi_value peer_credentials(napi_env env, napi_callback_info info)
{
    size_t count = 1;
    napi_value argument, result;
    int32_t fd;
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) != napi_ok || count < 1
        || napi_get_value_int32(env, argument, &fd) != napi_ok)
        return fail(env, "peerCredentials takes the number of a descriptor");
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
        return fail(env, strerror(errno));
    /* A socket that is not a connected Unix one answers without an error, with nobody in it. */
    if (length != sizeof peer || peer.uid == (uid_t)-1)
        return fail(env, "the descriptor is not a connected Unix socket");
    if (napi_create_object(env, &result) != napi_ok || !set_number(env, result, "pid", peer.pid)
        || !set_number(env, result, "uid", peer.uid) || !set_number(env, result, "gid", peer.gid))
        return fail(env, "the credentials cannot be returned");
    return result;
}

NAPI_MODULE_INIT()
{
    napi_value function;
    if (napi_create_function(env, "peerCredentials", NAPI_AUTO_LENGTH, peer_credentials, NULL, &function) != napi_ok
        || napi_set_named_property(env, exports, "peerCredentials", function) != napi_ok)
        return fail(env, "the addon cannot be set up");
    return exports;
}
