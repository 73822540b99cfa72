// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Key type rdma_psk.
 *
 * A payload is turned into the keys the handshake needs when it comes in, and
 * then forgotten: nothing can read it back, not even the kernel. There is no
 * update, so that a key object stands for one secret for all its life; adding
 * a key of the same description replaces the object.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/init_task.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "srxe_psk.h"
#include "srxe_ring.h"

#define HEX_LEN		(2 * SRXE_PSK_LEN)
#define BASE64_LEN	44
/* What /proc/keys shows of a key id */
#define SHOWN_ID_LEN	4

static atomic64_t last_seq;
static const struct cred *own_cred;

/* A listing under way, see srxe_psk_list(). */
static struct {
	struct mutex	lock;	/* one at a time */
	struct key	**keys;
	unsigned int	max;
	unsigned int	n;
	char		desc[2];
} listing = {
	.lock	= __MUTEX_INITIALIZER(listing.lock),
	.desc	= "*",
};

/* All ones if lo <= c <= hi, else 0, without a branch. */
static int within(int c, int lo, int hi)
{
	return ((lo - 1 - c) & (c - hi - 1)) >> 8;
}

/* Value of a base64 digit or -1, in constant time: the text is as secret as the key. */
static int base64_value(int c)
{
	return -1 + (within(c, 'A', 'Z') & (c - 'A' + 1)) +
	       (within(c, 'a', 'z') & (c - 'a' + 27)) +
	       (within(c, '0', '9') & (c - '0' + 53)) +
	       (within(c, '+', '+') & 63) + (within(c, '/', '/') & 64);
}

/* 43 digits and one '=', the two bits of the last digit that are no part of it 0. */
static int decode_base64(const u8 *text, u8 psk[SRXE_PSK_LEN])
{
	unsigned int i, n = 0, bits = 0;
	u32 acc = 0;
	int bad = 0;

	for (i = 0; i < BASE64_LEN - 1; i++) {
		int v = base64_value(text[i]);

		bad |= v;
		acc = acc << 6 | (v & 0x3f);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			psk[n++] = acc >> bits;
		}
	}
	if (bad < 0 || acc & 3 || text[BASE64_LEN - 1] != '=')
		return -EINVAL;
	return 0;
}

/* Random bytes are neither all alike nor, but once in 10^13 keys, plain text. */
static bool looks_random(const u8 psk[SRXE_PSK_LEN])
{
	unsigned int i, same = 0, text = 0;

	for (i = 0; i < SRXE_PSK_LEN; i++) {
		same += psk[i] == psk[0];
		text += (psk[i] >= ' ' && psk[i] <= '~') || psk[i] == '\n' || psk[i] == '\t';
	}
	return same < SRXE_PSK_LEN && text < SRXE_PSK_LEN;
}

static int decode(const u8 *data, size_t len, u8 psk[SRXE_PSK_LEN])
{
	if (len == SRXE_PSK_LEN) {
		memcpy(psk, data, SRXE_PSK_LEN);
		return 0;
	}
	if ((len == HEX_LEN + 1 || len == BASE64_LEN + 1) && data[len - 1] == '\n')
		len--;
	if (len == HEX_LEN)
		return hex2bin(psk, data, SRXE_PSK_LEN);
	if (len == BASE64_LEN)
		return decode_base64(data, psk);
	return -EINVAL;
}

/**
 * srxe_psk_decode() - the key in a payload
 * @data: 32 bytes, or 64 hex digits or 44 base64 characters, the latter two
 *	with or without a newline; NULL if @len is 0
 * @len: of @data, bytes
 * @psk: the key; wiped when it is refused; the caller wipes it after use
 *
 * Text and bytes that are all the same are refused as keys: an INIT lets who
 * sees it try guesses offline, so there must be nothing to guess.
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int srxe_psk_decode(const u8 *data, size_t len, u8 psk[SRXE_PSK_LEN])
{
	if (!decode(data, len, psk) && looks_random(psk))
		return 0;
	memzero_explicit(psk, SRXE_PSK_LEN);
	return -EINVAL;
}

static int vet(const char *desc, struct srxe_psk_match *match)
{
	const char *why;
	int err;

	err = srxe_psk_match_parse(desc, match, &why);
	if (err)
		pr_info_ratelimited("rdma_psk: description not understood: %s\n", why);
	return err;
}

static int vet_description(const char *desc)
{
	struct srxe_psk_match match;

	return vet(desc, &match);
}

/* Key ids that begin with four zero bytes are kept for other uses of that field. */
static int derive(const void *data, size_t len, struct srxe_psk_keys *keys)
{
	u8 psk[SRXE_PSK_LEN];
	int err;

	err = srxe_psk_decode(data, len, psk);
	if (err) {
		pr_info_ratelimited("rdma_psk: expected 32 random bytes, raw or as 64 hex digits or 44 base64 characters\n");
		return err;
	}
	err = srxe_psk_derive(psk, keys);
	memzero_explicit(psk, sizeof(psk));
	if (err)
		return err;
	if (!memchr_inv(keys->key_id, 0, 4)) {
		pr_info_ratelimited("rdma_psk: this key has a reserved key id, take another\n");
		return -EINVAL;
	}
	return 0;
}

static int preparse(struct key_preparsed_payload *prep)
{
	struct srxe_psk *psk;
	int err;

	psk = kzalloc(sizeof(*psk), GFP_KERNEL);
	if (!psk)
		return -ENOMEM;
	refcount_set(&psk->ref, 1);
	psk->seq = atomic64_inc_return(&last_seq);
	psk->created = ktime_get_real_seconds();

	err = vet(prep->orig_description ?: "", &psk->match);
	if (!err)
		err = derive(prep->data, prep->datalen, &psk->keys);
	if (err) {
		kfree_sensitive(psk);
		return err;
	}
	prep->payload.data[0] = psk;
	prep->quotalen = sizeof(*psk);
	return 0;
}

static void free_preparse(struct key_preparsed_payload *prep)
{
	srxe_psk_put(prep->payload.data[0]);
}

static int instantiate(struct key *key, struct key_preparsed_payload *prep)
{
	struct srxe_psk *psk = prep->payload.data[0];

	psk->serial = key_serial(key);
	return generic_key_instantiate(key, prep);
}

/* Called with key->sem held for writing, before key_validate() says so everywhere. */
static void revoke(struct key *key)
{
	struct srxe_psk *psk = dereference_key_locked(key);

	if (!psk)
		return;
	WRITE_ONCE(psk->revoked, true);
	/* a ring that admits it just now either is seen here or sees it there */
	smp_mb();
	rcu_assign_keypointer(key, NULL);
	if (READ_ONCE(psk->used))
		srxe_ring_refresh_all();
	srxe_psk_put(psk);
}

/* The last reference is gone, or the type is and key->sem is held. */
static void destroy(struct key *key)
{
	struct srxe_psk *psk = rcu_dereference_protected(key->payload.rcu_data0, true);

	RCU_INIT_POINTER(key->payload.rcu_data0, NULL);
	srxe_psk_put(psk);
}

/* Called under rcu_read_lock(). */
static void describe(const struct key *key, struct seq_file *m)
{
	const struct srxe_psk *psk;

	seq_puts(m, key->description);
	if (!key_is_positive(key))
		return;
	psk = dereference_key_rcu(key);
	if (psk)
		seq_printf(m, ": id %*phN", SHOWN_ID_LEN, psk->keys.key_id);
}

/* The keyring's only iterator that modules can reach is its search. */
static bool note_key(const struct key *key, const struct key_match_data *match_data)
{
	if (listing.n < listing.max)
		listing.keys[listing.n++] = key_get((struct key *)key);
	return false;
}

static int match_preparse(struct key_match_data *match_data)
{
	/* whoever else searches brings a string of his own */
	if (match_data->raw_data != listing.desc)
		return 0;
	match_data->cmp = note_key;
	match_data->lookup_type = KEYRING_SEARCH_LOOKUP_ITERATE;
	return 0;
}

struct key_type srxe_key_type_psk = {
	.name			= "rdma_psk",
	.vet_description	= vet_description,
	.preparse		= preparse,
	.free_preparse		= free_preparse,
	.instantiate		= instantiate,
	.match_preparse		= match_preparse,
	.revoke			= revoke,
	.destroy		= destroy,
	.describe		= describe,
};

/**
 * srxe_psk_list() - the keys of type rdma_psk in a keyring
 * @keyring: keyring; its semaphore is held, so that it does not change
 * @keys: where to put them; each with a reference
 * @max: how many fit; there are no more than leaves in the keyring
 *
 * Revoked, expired and invalidated ones are left out, ones under construction
 * are not.
 *
 * Context: process, may sleep.
 * Return: their number, or an error if a security module denies the search.
 */
int srxe_psk_list(struct key *keyring, struct key **keys, unsigned int max)
{
	const struct cred *old;
	key_ref_t ref;
	int n;

	mutex_lock(&listing.lock);
	listing.keys = keys;
	listing.max = max;
	listing.n = 0;
	/* as the kernel, whoever caused it */
	old = override_creds(own_cred);
	ref = keyring_search(make_key_ref(keyring, true), &srxe_key_type_psk,
			     listing.desc, false);
	revert_creds(old);
	n = listing.n;
	listing.keys = NULL;
	mutex_unlock(&listing.lock);

	/* nothing matches, so a search that took place ends in one of these */
	switch (PTR_ERR(ref)) {
	case -EAGAIN:
	case -EKEYREVOKED:
	case -EKEYEXPIRED:
		return n;
	}
	return PTR_ERR(ref);
}

/**
 * srxe_psk_cred() - the kernel's own credentials
 *
 * Context: any, between srxe_psk_register() and srxe_psk_unregister().
 * Return: credentials, not referenced for the caller.
 */
const struct cred *srxe_psk_cred(void)
{
	return own_cred;
}

/**
 * srxe_psk_of() - what a key's payload refers to
 * @payload: payload of a key of type rdma_psk, or of one in the making
 *
 * Context: any.
 * Return: the object with a reference, or NULL if the key is revoked or not
 * instantiated.
 */
struct srxe_psk *srxe_psk_of(const union key_payload *payload)
{
	struct srxe_psk *psk;

	rcu_read_lock();
	psk = rcu_dereference(payload->rcu_data0);
	if (psk && !refcount_inc_not_zero(&psk->ref))
		psk = NULL;
	rcu_read_unlock();
	return psk;
}

/**
 * srxe_psk_get() - take a reference
 * @psk: object the caller has a reference to
 *
 * Context: any.
 * Return: @psk.
 */
struct srxe_psk *srxe_psk_get(struct srxe_psk *psk)
{
	refcount_inc(&psk->ref);
	return psk;
}

/**
 * srxe_psk_put() - drop a reference
 * @psk: object, or NULL
 *
 * Context: any.
 */
void srxe_psk_put(struct srxe_psk *psk)
{
	if (!psk || !refcount_dec_and_test(&psk->ref))
		return;
	memzero_explicit(&psk->keys, sizeof(psk->keys));
	kfree_rcu(psk, rcu);
}

/**
 * srxe_psk_register() - make the key type known
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM, or -EEXIST if there is such a type already.
 */
int srxe_psk_register(void)
{
	int err;

	own_cred = prepare_kernel_cred(&init_task);
	if (!own_cred)
		return -ENOMEM;
	err = register_key_type(&srxe_key_type_psk);
	if (err)
		put_cred(own_cred);
	return err;
}

/**
 * srxe_psk_unregister() - the key type ends
 *
 * Its keys lose their payloads, also those that somebody holds. Whoever used
 * one through a ring has let go of it by now.
 *
 * Context: process, may sleep.
 */
void srxe_psk_unregister(void)
{
	unregister_key_type(&srxe_key_type_psk);
	/* /proc/keys may be in describe(), indexes of rings on their way to being freed */
	synchronize_rcu();
	rcu_barrier();
	put_cred(own_cred);
}
