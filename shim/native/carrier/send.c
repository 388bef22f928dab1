#include "send.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "content.h"
#include "cut.h"
#include "epochs.h"
#include "entry-frame.h"
#include "folders.h"
#include "goes-on.h"
#include "guard.h"
#include "links.h"
#include "send-bytes.h"
#include "skip.h"
#include "state-frames.h"
#include "tree-id.h"
#include "xattrs.h"

enum how { SEND_ALL, SEND_SINCE, SEND_DIRTY };

struct sending {
    struct carrier *carrier;
    enum how how;
    uint64_t since;
    /* Bytes of small files go with their entries. */
    bool bytes;
    uint32_t number, unstable;
    /* Of home, what is there and cannot be sent: the answer fails. */
    const struct entry *unread;
    struct open_folder folder;
    struct cut cut;
};

static void put_entry(struct sending *sending, struct entry *entry, struct change *change)
{
    static const struct record nothing;
    struct stream *stream = &sending->carrier->stream;
    uint8_t record[RECORD_BYTES];
    struct record was = nothing;
    entry_base(entry, &was);
    bool says_was = sending->how == SEND_DIRTY;
    stream_begin(stream, FRAME_ENTRY);
    stream_put_u8(stream, change->kind);
    stream_put_u8(stream, (uint8_t)(change->bits | (says_was ? CHANGE_WAS : 0)));
    record_put(&change->wanted, record);
    stream_put(stream, record, RECORD_IN_FRAME);
    stream_put_u8(stream, says_was ? was.type : 0);
    stream_put(stream, says_was ? was.id : nothing.id, SHA256_BYTES);
    stream_put_text(stream, change->path);
    stream_put_text(stream, change->target);
    stream_put_u32(stream, (uint32_t)change->xattrs_length);
    stream_put(stream, change->xattrs, change->xattrs_length);
    stream_put_u32(stream, change->block_count);
    stream_put(stream, change->blocks, (size_t)change->block_count * SHA256_BYTES);
    stream_end(stream);
    sending->number++;
    if (sending->how == SEND_DIRTY)
        entry->flags &= (uint16_t)~ENTRY_UNSENT;
}

static bool add_attributes(struct sending *sending, struct change *change, int fd)
{
    struct xattrs *xattrs = &sending->carrier->xattrs;
    if (fd < 0 || !xattrs_read(fd, xattrs))
        return false;
    /* Others by now than the index says: the next settle sees it. */
    xattrs_id(xattrs, change->wanted.xattrs);
    change->xattrs = xattrs->bytes;
    change->xattrs_length = xattrs->length;
    return true;
}

static bool has_attributes(const struct entry *entry)
{
    static const uint8_t none[SHA256_BYTES];
    struct record now = entry_now(entry);
    return memcmp(now.xattrs, none, SHA256_BYTES) != 0;
}

static void unstable(struct sending *sending, struct entry *entry)
{
    index_unstable(&sending->carrier->index, entry);
    if (sending->how == SEND_DIRTY)
        entry->flags |= ENTRY_UNSENT;
    sending->unstable++;
}

/* It, or a part of it, cannot be read now. What a replica does not name comes again, and so does what home does not name
 * beside other changes; of all that home has, what is not named may go. True if it is gone by now, or another thing. */
static bool cannot_read(struct sending *sending, struct entry *entry)
{
    static const int others[] = {ENOENT, ENOTDIR, ELOOP, EXDEV, EACCES, EINVAL, ENXIO};
    bool other = false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        other |= errno == others[i];
    unstable(sending, entry);
    if (sending->how == SEND_ALL && !other)
        sending->unread = entry;
    return other;
}

/* One that leads elsewhere by now: of a replica it comes again, of home it goes as it is. */
static void put_link(struct sending *sending, struct entry *entry, struct change *change)
{
    int folder = folder_of(sending->carrier, entry, &sending->folder);
    uint8_t *id = change->wanted.id;
    ssize_t length = folder < 0 ? -1 : readlinkat(folder, entry->name, change->target, PATH_MOST);
    if (length < 0) {
        cannot_read(sending, entry);
        return;
    }
    change->target[length] = 0;
    change->wanted.size = (uint64_t)length;
    bytes_id(change->target, (size_t)length, id);
    bool same = memcmp(id, entry_id(entry), SHA256_BYTES) == 0;
    if (!same)
        unstable(sending, entry);
    if (same || sending->how != SEND_DIRTY)
        put_entry(sending, entry, change);
}

/* With the bytes of a small file. One that has others by now: of a replica it comes again, of home it goes as it is. */
static void put_file(struct sending *sending, struct entry *entry, struct change *change, int fd)
{
    struct carrier *carrier = sending->carrier;
    bool small = entry_size(entry) <= BLOCK_BYTES && change->kind == CHANGE_PUT;
    if (entry_blocks(entry) && change->kind != CHANGE_META) {
        change->blocks = entry_blocks(entry)[0];
        change->block_count = (uint32_t)block_count(entry_size(entry));
    }
    if (small && sending->bytes) {
        bool read = record_small_now(fd, carrier->block, &change->wanted);
        bool same = read && memcmp(change->wanted.id, entry_id(entry), SHA256_BYTES) == 0;
        if (!same)
            unstable(sending, entry);
        if (!read || (!same && sending->how == SEND_DIRTY))
            return;
        change->bits |= CHANGE_BYTES;
    }
    uint32_t number = sending->number;
    put_entry(sending, entry, change);
    if (change->bits & CHANGE_BYTES)
        send_bytes(&carrier->stream, number, 0, carrier->block, (size_t)change->wanted.size);
}

/* Its attributes cannot be read now, and without them it would lose them: only what home has no more goes without. */
static bool goes_without(struct sending *sending, struct entry *entry)
{
    return cannot_read(sending, entry) && sending->how != SEND_DIRTY;
}

static void put_opened(struct sending *sending, struct entry *entry, struct change *change)
{
    bool folder = entry->type == TYPE_FOLDER;
    int parent = entry_parent(entry) ? folder_of(sending->carrier, entry, &sending->folder) : sending->carrier->root;
    int flags = O_RDONLY | O_NONBLOCK | (folder ? O_DIRECTORY : 0);
    bool needed = !folder || has_attributes(entry);
    int fd = needed && parent >= 0 ? beneath_open(parent, entry->name, flags) : -1;
    bool named = !has_attributes(entry) || add_attributes(sending, change, fd) || goes_without(sending, entry);
    if (named && folder)
        put_entry(sending, entry, change);
    else if (named)
        put_file(sending, entry, change, fd);
    if (fd >= 0)
        close(fd);
}

static enum change_kind kind_of(const struct sending *sending, const struct entry *entry)
{
    struct record now = entry_now(entry), base;
    if (now.type == TYPE_NONE)
        return CHANGE_DELETE;
    bool same = sending->how == SEND_DIRTY && entry_base(entry, &base) && base.type == now.type && base.link == now.link
        && base.size == now.size && (now.type == TYPE_FOLDER || memcmp(base.id, now.id, SHA256_BYTES) == 0);
    if (same)
        return CHANGE_META;
    return now.link != 0 ? CHANGE_LINK : CHANGE_PUT;
}

static void put_change(struct sending *sending, struct entry *entry)
{
    static struct change change;
    change.kind = kind_of(sending, entry);
    change.bits = 0;
    change.wanted = entry_now(entry);
    change.target[0] = 0;
    change.xattrs_length = 0;
    change.block_count = 0;
    /* Larger than a limit that was lowered: it is not gone. */
    if (sending->how == SEND_DIRTY && entry->skip == SKIP_TOO_LARGE)
        return;
    if (!entry_path(entry, change.path))
        return;
    if (change.kind == CHANGE_DELETE) {
        /* A record of what is not there is of no type; what was there is said beside it. */
        change.wanted = (struct record){.type = TYPE_FILE};
        put_entry(sending, entry, &change);
        return;
    }
    const struct entry *first = change.kind == CHANGE_LINK ? links_first(&sending->carrier->index, entry) : NULL;
    if (change.kind == CHANGE_LINK && (!first || !entry_path(first, change.target)))
        change.kind = CHANGE_PUT;
    if (entry->type == TYPE_LINK)
        put_link(sending, entry, &change);
    else
        put_opened(sending, entry, &change);
}

static bool concerns(const struct sending *sending, const struct entry *entry)
{
    switch (sending->how) {
    case SEND_ALL:
        return entry_alive(entry);
    case SEND_SINCE:
        return entry->seq > sending->since;
    default:
        return entry_dirty(entry);
    }
}

/* The rules leave it out since: the other side has no such path, either, and it is not gone. */
static bool left_out(const struct sending *sending, const struct entry *entry)
{
    char path[PATH_MOST + 1];
    return !entry_alive(entry) && entry_path(entry, path) && !path_carried(sending->carrier, path);
}

static void send_below(struct sending *sending, struct entry *entry)
{
    size_t count;
    goes_on(sending->carrier);
    if (left_out(sending, entry))
        return;
    if (concerns(sending, entry))
        put_change(sending, entry);
    /* A side that had it is told that all of it is gone; a replica says what it had of each entry. */
    if (!entry_child(entry) || (!entry_alive(entry) && sending->how != SEND_DIRTY))
        return;
    struct entry **children = children_in_order(entry, true, &count);
    for (size_t i = 0; children && i < count && !sending->unread && !cut_said(&sending->cut, &sending->carrier->stream); i++)
        if (sending->how == SEND_ALL || children[i]->below > sending->since)
            send_below(sending, children[i]);
    free(children);
}

void send_changes(struct carrier *carrier, struct reader *reader)
{
    struct index *index = &carrier->index;
    struct sending sending = {.carrier = carrier, .folder = {NULL, -1}};
    uint8_t how = read_u8(reader);
    sending.bytes = read_u8(reader) & 1;
    uint64_t epoch = read_u64(reader);
    sending.since = read_u64(reader);
    sending.how = how;
    if (!read_all(reader) || how > SEND_DIRTY) {
        tell_refused(carrier, "bad-frame: changes");
        return;
    }
    const char *wrong = skip_wrong(carrier);
    if (wrong) {
        tell_failed(carrier, wrong);
        return;
    }
    if (how == SEND_DIRTY) {
        sending.since = index->acked;
        index->sent = index->seq;
        carrier->background.sent = true;
    }
    if (how == SEND_SINCE && !epochs_know(index, epoch, sending.since)) {
        tell_failed(carrier, "version-unknown: this carrier does not know that version");
        return;
    }
    if (sending.how != SEND_DIRTY && guard_suspects(carrier)) {
        tell_failed(carrier, "workspace-suspect: most of the workspace is gone at home; if that is meant, trust it");
        return;
    }
    send_below(&sending, index->root);
    folder_close(&sending.folder);
    if (sending.unread) {
        tell_failed(carrier, skip_unread(carrier, sending.unread));
        return;
    }
    put_done(carrier, sending.number, sending.unstable);
    if (sending.how != SEND_DIRTY && !sending.cut.said)
        guard_trust(carrier);
}
