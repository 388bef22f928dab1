#include "listener.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static bool stat_folder(const char *path, struct stat *folder)
{
    char name[sizeof((struct sockaddr_un){0}).sun_path + 1];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length + 2 > sizeof name)
        return false;
    memcpy(name, path, length);
    strcpy(name + length, slash ? "/" : ".");
    return stat(name, folder) == 0;
}

bool listener_trusted(int fd, const char *path, struct text *why)
{
    struct ucred peer;
    struct stat folder;
    socklen_t length = sizeof peer;
    bool told = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && stat_folder(path, &folder);
    /* All users that our user namespace does not map look the same; a mapped user never looks like them. */
    if (told && (peer.uid == 0 || peer.uid == folder.st_uid))
        return true;
    text_add(why, "who listens at ");
    text_add(why, path);
    if (!told) {
        text_add(why, " cannot be told");
        return false;
    }
    text_add(why, " is user ");
    text_add_number(why, peer.uid);
    text_add(why, ", neither root nor user ");
    text_add_number(why, folder.st_uid);
    text_add(why, ", who owns its folder; nothing was sent to it");
    return false;
}
