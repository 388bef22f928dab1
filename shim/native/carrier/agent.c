#include "agent.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What root in a container has over files, and a replica's carrier, too. */
enum { OF_FILES = 1 << CAP_CHOWN | 1 << CAP_DAC_OVERRIDE | 1 << CAP_FOWNER | 1 << CAP_FSETID };

static struct __user_cap_header_struct self = {.version = _LINUX_CAPABILITY_VERSION_3};

static uint32_t kept_of(const struct limits *limits)
{
    struct __user_cap_data_struct now[2];
    if (limits->uid != 0 || syscall(SYS_capget, &self, now) != 0)
        return 0;
    return now[0].permitted & OF_FILES;
}

/* False if one stays that may not. */
static bool bound(uint32_t kept)
{
    bool done = true;
    for (int there, one = 0; (there = prctl(PR_CAPBSET_READ, one)) >= 0; one++)
        if (there && (one >= 32 || !(kept >> one & 1)) && prctl(PR_CAPBSET_DROP, one) != 0)
            done = false;
    return done;
}

static bool keep_only(uint32_t kept)
{
    struct __user_cap_data_struct only[2] = {{.effective = kept, .permitted = kept}};
    return syscall(SYS_capset, &self, only) == 0;
}

const char *agent_become(const struct limits *limits, bool strict)
{
    if (geteuid() != 0)
        return NULL;
    uint32_t kept = kept_of(limits);
    if (!bound(kept) && strict)
        return "carrier-failed: root's capabilities cannot be given up";
    /* A root without this right is the agent already, and of none other's groups. */
    bool in_group = setgroups(0, NULL) == 0 && setresgid(limits->gid, limits->gid, limits->gid) == 0;
    if (!in_group && (strict || limits->uid != 0))
        return "carrier-failed: cannot take the agent's group";
    if (setresuid(limits->uid, limits->uid, limits->uid) != 0)
        return "carrier-failed: cannot take the agent's user";
    if (!keep_only(kept))
        return "carrier-failed: root's capabilities cannot be given up";
    /* The kernel forgets it with each change of the user. */
    return prctl(PR_SET_DUMPABLE, 0) == 0 ? NULL : "carrier-failed: others may look into it";
}
