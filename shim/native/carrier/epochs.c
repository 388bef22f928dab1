#include "epochs.h"

#include <string.h>

/* The first half says which index it is, in all of its runs. */
static const uint64_t run_bits = UINT32_MAX;

void epochs_take_up(struct index *index, uint64_t epoch, bool replica)
{
    index->next_epoch = replica ? 0 : (epoch & ~run_bits) | (index->epoch & run_bits);
    index->epoch = epoch;
}

void epochs_before_next(struct index *index)
{
    if (index->next_epoch == 0)
        return;
    if (index->former_count == FORMER_MOST) {
        memmove(index->former, index->former + 1, (FORMER_MOST - 1) * sizeof *index->former);
        index->former_count--;
    }
    index->former[index->former_count++] = (struct former){.epoch = index->epoch, .seq = index->seq};
    index->epoch = index->next_epoch;
    index->next_epoch = 0;
}

bool epochs_know(const struct index *index, uint64_t epoch, uint64_t seq)
{
    if (seq < index->floor)
        return false;
    if (epoch == index->epoch)
        return seq <= index->seq;
    for (uint32_t i = 0; i < index->former_count; i++)
        if (index->former[i].epoch == epoch)
            return seq <= index->former[i].seq;
    return false;
}
