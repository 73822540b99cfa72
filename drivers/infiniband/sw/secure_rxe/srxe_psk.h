/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Pre-shared keys: the key type rdma_psk and what is kept of such a key.
 */
#ifndef SRXE_PSK_H
#define SRXE_PSK_H

#include <linux/key-type.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "srxe_hs_msg.h"
#include "srxe_psk_match.h"

struct cred;

/**
 * struct srxe_psk - what is kept of a pre-shared key
 * @ref: references; with the last one the secrets are wiped
 * @keys: derived from the key, which itself is kept nowhere; secret, but for
 *	the key id; only for who holds a reference
 * @match: the description
 * @serial: key object it was made with
 * @seq: order of creation, the higher the younger
 * @created: when, seconds since the Epoch
 * @used: it was admitted to a link's ring, so its revocation matters to one
 * @revoked: its key object was revoked
 * @rcu: for freeing it
 *
 * Key objects refer to it by their payload, and rings, handshakes and SAs on
 * their own account: a payload is taken away when its key is revoked or the
 * type is unregistered, whoever still holds the key.
 */
struct srxe_psk {
	refcount_t		ref;
	struct srxe_psk_keys	keys;
	struct srxe_psk_match	match;
	key_serial_t		serial;
	u64			seq;
	time64_t		created;
	bool			used;
	bool			revoked;
	struct rcu_head		rcu;
};

extern struct key_type srxe_key_type_psk;

int srxe_psk_register(void);	/* module init and exit; no ring is left at exit */
void srxe_psk_unregister(void);

int srxe_psk_decode(const u8 *data, size_t len, u8 psk[SRXE_PSK_LEN]);

struct srxe_psk *srxe_psk_of(const union key_payload *payload);
struct srxe_psk *srxe_psk_get(struct srxe_psk *psk);
void srxe_psk_put(struct srxe_psk *psk);

int srxe_psk_list(struct key *keyring, struct key **keys, unsigned int max);
const struct cred *srxe_psk_cred(void);

#endif /* SRXE_PSK_H */
