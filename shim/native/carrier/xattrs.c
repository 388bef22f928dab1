#include "xattrs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "content.h"
#include "reader.h"

enum { NAMES_MOST = 64 * 1024, COUNT_MOST = 1024, XATTR_NAME_LONGEST = 255 };

static bool carried(const char *name)
{
    return strncmp(name, "user.", 5) == 0 || strcmp(name, "system.posix_acl_access") == 0
        || strcmp(name, "system.posix_acl_default") == 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The carried names in order; -1 where there are too many (E2BIG), or they cannot be read. */
static int list_names(int fd, char *list, const char *names[COUNT_MOST])
{
    ssize_t length = flistxattr(fd, list, NAMES_MOST);
    int count = 0;
    if (length < 0)
        return errno == ENOTSUP ? 0 : -1;
    for (const char *name = list; name < list + length; name += strlen(name) + 1) {
        if (!carried(name))
            continue;
        if (count == COUNT_MOST) {
            errno = E2BIG;
            return -1;
        }
        names[count++] = name;
    }
    qsort(names, (size_t)count, sizeof *names, by_text);
    return count;
}

static bool add(struct xattrs *xattrs, int fd, const char *name)
{
    size_t name_length = strlen(name), used = xattrs->length + 2 + name_length + 4;
    /* Of a value that fits exactly the kernel tells the length only if it is asked for more than none. */
    if (used >= XATTRS_MOST) {
        errno = E2BIG;
        return false;
    }
    ssize_t length = fgetxattr(fd, name, xattrs->bytes + used, XATTRS_MOST - used);
    /* It is gone since it was listed. */
    if (length < 0)
        return errno == ENODATA;
    put_u16(xattrs->bytes + xattrs->length, (uint16_t)name_length);
    memcpy(xattrs->bytes + xattrs->length + 2, name, name_length);
    put_u32(xattrs->bytes + used - 4, (uint32_t)length);
    xattrs->length = used + (size_t)length;
    return true;
}

bool xattrs_read(int fd, struct xattrs *xattrs)
{
    static char list[NAMES_MOST];
    static const char *names[COUNT_MOST];
    xattrs->length = 0;
    int count = list_names(fd, list, names);
    for (int i = 0; i < count; i++)
        if (!add(xattrs, fd, names[i]))
            return false;
    return count >= 0;
}

void xattrs_id(const struct xattrs *xattrs, uint8_t id[SHA256_BYTES])
{
    memset(id, 0, SHA256_BYTES);
    if (xattrs->length > 0)
        bytes_id(xattrs->bytes, xattrs->length, id);
}

struct attribute {
    char name[XATTR_NAME_LONGEST + 1];
    const uint8_t *value;
    size_t length;
};

static bool next_attribute(struct reader *reader, struct attribute *attribute)
{
    read_text(reader, attribute->name, XATTR_NAME_LONGEST);
    attribute->length = read_u32(reader);
    attribute->value = read_bytes(reader, attribute->length);
    return !reader->bad && carried(attribute->name);
}

bool xattrs_valid(const uint8_t *bytes, size_t length)
{
    struct reader reader = reader_of(bytes, length);
    struct attribute attribute;
    char before[XATTR_NAME_LONGEST + 1] = "";
    if (length > XATTRS_MOST)
        return false;
    while (reader.at < reader.end) {
        if (!next_attribute(&reader, &attribute) || strcmp(before, attribute.name) >= 0)
            return false;
        memcpy(before, attribute.name, sizeof before);
    }
    return true;
}

static bool named(const struct xattrs *xattrs, const char *name)
{
    struct reader reader = reader_of(xattrs->bytes, xattrs->length);
    struct attribute attribute;
    while (reader.at < reader.end && next_attribute(&reader, &attribute))
        if (strcmp(attribute.name, name) == 0)
            return true;
    return false;
}

static bool take_away_others(int fd, const struct xattrs *xattrs)
{
    static char list[NAMES_MOST];
    static const char *names[COUNT_MOST];
    bool done = true;
    int count = list_names(fd, list, names);
    for (int i = 0; i < count; i++)
        if (!named(xattrs, names[i]))
            done &= fremovexattr(fd, names[i]) == 0;
    return done && count >= 0;
}

static bool set_those(int fd, const struct xattrs *xattrs, bool of_users)
{
    struct reader reader = reader_of(xattrs->bytes, xattrs->length);
    struct attribute attribute;
    bool done = true;
    while (reader.at < reader.end && next_attribute(&reader, &attribute))
        if ((strncmp(attribute.name, "user.", 5) == 0) == of_users)
            done &= fsetxattr(fd, attribute.name, attribute.value, attribute.length, 0) == 0;
    return done;
}

bool xattrs_apply(int fd, const struct xattrs *xattrs)
{
    bool done = take_away_others(fd, xattrs);
    /* An access list may say that nobody writes, and so sets no more attributes. */
    done &= set_those(fd, xattrs, true);
    return set_those(fd, xattrs, false) && done;
}
