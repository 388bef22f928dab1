#include "over.h"

#include "stop.h"

bool over(const struct run *run)
{
    return run->ended && (run->childless || over_leaves(run) || stop_reaped_enough(run));
}

bool over_leaves(const struct run *run)
{
    return run->ended && run->plan.leave && run->cause == CAUSE_OWN;
}
