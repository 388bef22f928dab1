/* OpenSSL verifies every signature of a chain, up to a hundred, also if nothing in it is trusted, because Node lets
 * each fault pass and asks for the verdict at the end. A peer that shows a chain chooses what a signature costs, and the
 * loop stands still meanwhile. Node has no setting for the length; OpenSSL has one for each process, by names that its
 * TLS asks for. Node's program has OpenSSL in itself, so its functions are looked up there. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "certificate-chains.h"

/* Of openssl/x509_vfy.h and openssl/x509v3.h, which Node's package has no room for. */
enum { purpose_client = 1, purpose_server = 2 };
enum { trust_client = 2, trust_server = 3 };
/* What is set here goes before OpenSSL's own default. */
enum { goes_first = 1 };

struct verifying {
    void *(*create)(void);
    int (*name)(void *param, const char *name);
    int (*purpose)(void *param, int purpose);
    int (*trust)(void *param, int trust);
    void (*depth)(void *param, int depth);
    int (*inherit)(void *param, unsigned flags);
    int (*add)(void *param);
};

static bool find(struct verifying *found)
{
    const struct {
        void *place;
        const char *name;
    } wanted[] = {
        { &found->create, "X509_VERIFY_PARAM_new" },
        { &found->name, "X509_VERIFY_PARAM_set1_name" },
        { &found->purpose, "X509_VERIFY_PARAM_set_purpose" },
        { &found->trust, "X509_VERIFY_PARAM_set_trust" },
        { &found->depth, "X509_VERIFY_PARAM_set_depth" },
        { &found->inherit, "X509_VERIFY_PARAM_set_inh_flags" },
        { &found->add, "X509_VERIFY_PARAM_add0_table" },
    };
    for (size_t at = 0; at < sizeof wanted / sizeof wanted[0]; at++) {
        void *function = dlsym(RTLD_DEFAULT, wanted[at].name);
        if (function == NULL)
            return false;
        memcpy(wanted[at].place, &function, sizeof function);
    }
    return true;
}

static bool bound(const struct verifying *of, const char *name, int purpose, int trust, int depth)
{
    void *param = of->create();
    if (param == NULL || !of->name(param, name) || !of->purpose(param, purpose) || !of->trust(param, trust))
        return false;
    of->depth(param, depth);
    /* OpenSSL keeps it for as long as this process lives. */
    return of->inherit(param, goes_first) && of->add(param);
}

const char *bound_certificate_chains(int of_clients, int of_servers)
{
    struct verifying of;
    if (!find(&of))
        return "this Node has no OpenSSL that can be asked for short chains of certificates";
    if (!bound(&of, "ssl_client", purpose_client, trust_client, of_clients)
        || !bound(&of, "ssl_server", purpose_server, trust_server, of_servers))
        return "OpenSSL did not take the length of chains of certificates";
    return NULL;
}
