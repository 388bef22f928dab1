/* Node-API addon for system calls that Node does not offer. All functions throw an Error with the system's reason.
 * peerCredentials(fd) → { pid, uid, gid } of the process that connected to a Unix socket, as the kernel saw it at
 * connect(2). lockDescriptor(fd) → true if this descriptor now has the exclusive lock of flock(2), false if another
 * process has it. refuseDescriptors(fd) → true if nobody can send a descriptor to this listening Unix socket any more,
 * false if the kernel is older than 6.16. duplicate(fd) → another descriptor of the same open file, which no program
 * that is started inherits. boundCertificateChains(clients, servers) → from now on chains of certificates have so many
 * between the peer's own and a trusted one. beat() → says that this thread's loop turned, and wakes it from now on if it
 * does not for 50 ms. */
#include <errno.h>
#include <fcntl.h>
#include <node_api.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>

#include "certificate-chains.h"
#include "stuck-loop.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

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

static bool get_descriptor(napi_env env, napi_callback_info info, int32_t *fd)
{
    size_t count = 1;
    napi_value argument;
    return napi_get_cb_info(env, info, &count, &argument, NULL, NULL) == napi_ok && count == 1
        && napi_get_value_int32(env, argument, fd) == napi_ok;
}

static napi_value answer(napi_env env, bool yes)
{
    napi_value result;
    return napi_get_boolean(env, yes, &result) == napi_ok ? result : fail(env, "the answer cannot be returned");
}

static napi_value lock_descriptor(napi_env env, napi_callback_info info)
{
    int32_t fd;
    if (!get_descriptor(env, info, &fd))
        return fail(env, "lockDescriptor takes the number of a descriptor");
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno != EWOULDBLOCK)
        return fail(env, strerror(errno));
    return answer(env, locked);
}

static napi_value peer_credentials(napi_env env, napi_callback_info info)
{
    napi_value result;
    int32_t fd;
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (!get_descriptor(env, info, &fd))
        return fail(env, "peerCredentials takes the number of a descriptor");
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
        return fail(env, strerror(errno));
    /* For a socket that is not a connected Unix socket the kernel gives no error, but no process either. */
    if (length != sizeof peer || peer.uid == (uid_t)-1)
        return fail(env, "the descriptor is not a connected Unix socket");
    if (napi_create_object(env, &result) != napi_ok || !set_number(env, result, "pid", peer.pid)
        || !set_number(env, result, "uid", peer.uid) || !set_number(env, result, "gid", peer.gid))
        return fail(env, "the credentials cannot be returned");
    return result;
}

/* Accepted sockets have it, too. Without it a read of a message drops its descriptors, and the close of one, as of a
 * TCP socket that lingers, may wait as long as its owner likes. */
static napi_value refuse_descriptors(napi_env env, napi_callback_info info)
{
    int32_t fd;
    const int no = 0;
    if (!get_descriptor(env, info, &fd))
        return fail(env, "refuseDescriptors takes the number of a descriptor");
    bool refused = setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof no) == 0;
    if (!refused && errno != ENOPROTOOPT)
        return fail(env, strerror(errno));
    return answer(env, refused);
}

static napi_value duplicate(napi_env env, napi_callback_info info)
{
    napi_value result;
    int32_t fd;
    if (!get_descriptor(env, info, &fd))
        return fail(env, "duplicate takes the number of a descriptor");
    int other = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (other < 0)
        return fail(env, strerror(errno));
    return napi_create_int32(env, other, &result) == napi_ok ? result : fail(env, "the number cannot be returned");
}

static napi_value bound_chains(napi_env env, napi_callback_info info)
{
    size_t count = 2;
    napi_value arguments[2];
    int32_t clients, servers;
    if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok || count != 2
        || napi_get_value_int32(env, arguments[0], &clients) != napi_ok
        || napi_get_value_int32(env, arguments[1], &servers) != napi_ok)
        return fail(env, "boundCertificateChains takes two numbers");
    const char *problem = bound_certificate_chains(clients, servers);
    return problem == NULL ? NULL : fail(env, problem);
}

static napi_value beat(napi_env env, napi_callback_info info)
{
    (void)info;
    int error = loop_turned();
    return error == 0 ? NULL : fail(env, strerror(error));
}

static bool add_function(napi_env env, napi_value exports, const char *name, napi_callback callback)
{
    napi_value function;
    return napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, NULL, &function) == napi_ok
        && napi_set_named_property(env, exports, name, function) == napi_ok;
}

NAPI_MODULE_INIT()
{
    if (!add_function(env, exports, "peerCredentials", peer_credentials)
        || !add_function(env, exports, "lockDescriptor", lock_descriptor)
        || !add_function(env, exports, "refuseDescriptors", refuse_descriptors)
        || !add_function(env, exports, "duplicate", duplicate)
        || !add_function(env, exports, "boundCertificateChains", bound_chains)
        || !add_function(env, exports, "beat", beat))
        return fail(env, "the addon cannot be set up");
    return exports;
}
