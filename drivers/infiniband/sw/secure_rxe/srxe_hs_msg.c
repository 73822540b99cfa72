// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Handshake messages and keys.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <crypto/algapi.h>
#include <crypto/curve25519.h>

#include "srxe_frame.h"
#include "srxe_hs_msg.h"

static_assert(sizeof(struct srxe_p) == 2 * SRXE_GID_LEN);
static_assert(SRXE_SHARE_LEN == CURVE25519_KEY_SIZE);

/* SETH (zero) and the signed part of the body, as all MACs and TH take them. */
#define SIGNED_TAIL_LEN	(sizeof(struct srxe_seth) + SRXE_HS_SIGNED_LEN)

/* BTH': a switch may have set FECN or BECN since the message was signed. */
static struct srxe_bth bth_signed(const struct srxe_hs_msg *msg)
{
	struct srxe_bth bth = msg->bth;

	srxe_bth_normalise(&bth);
	return bth;
}

static struct kvec piece(const void *p, size_t len)
{
	return (struct kvec){ .iov_base = (void *)p, .iov_len = len };
}

/**
 * srxe_key_id_ok() - may a PSK have this key id?
 * @key_id: the key id
 *
 * One that begins with four zero bytes would be "any peer" in a region's
 * descriptor.
 *
 * Context: Any.
 * Return: true if so.
 */
bool srxe_key_id_ok(const u8 key_id[SRXE_KEY_ID_LEN])
{
	static const u8 any[sizeof_field(struct srxe_region_desc, peer)];

	return crypto_memneq(key_id, any, sizeof(any));
}

/**
 * srxe_psk_derive() - all that is derived from a PSK alone
 * @psk: the PSK
 * @keys: result, secret; all zero on error
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL for a PSK whose key id cannot be used, or an error of the
 *	crypto API.
 */
int srxe_psk_derive(const u8 psk[SRXE_PSK_LEN], struct srxe_psk_keys *keys)
{
	int err;

	err = srxe_kdf(psk, SRXE_LABEL_KEYID, NULL, 0, keys->key_id,
		       sizeof(keys->key_id));
	if (!err)
		err = srxe_kdf(psk, SRXE_LABEL_INIT, NULL, 0, keys->init,
			       sizeof(keys->init));
	if (!err)
		err = srxe_kdf(psk, SRXE_LABEL_RETRY, NULL, 0, keys->retry,
			       sizeof(keys->retry));
	if (!err)
		err = srxe_kdf(psk, SRXE_LABEL_PSK, NULL, 0, keys->psk,
			       sizeof(keys->psk));
	if (!err && !srxe_key_id_ok(keys->key_id))
		err = -EINVAL;
	if (err)
		memzero_explicit(keys, sizeof(*keys));
	return err;
}

/**
 * srxe_hs_share_new() - fresh X25519 key pair
 * @secret: private value, to be wiped by the caller when done with
 * @share: public value
 *
 * Context: Process context; waits until the kernel's random numbers are good.
 * Return: 0 or -EIO, which does not happen.
 */
int srxe_hs_share_new(u8 secret[SRXE_SHARE_LEN], u8 share[SRXE_SHARE_LEN])
{
	curve25519_generate_secret(secret);
	if (curve25519_generate_public(share, secret))
		return 0;
	memzero_explicit(secret, SRXE_SHARE_LEN);
	return -EIO;
}

/**
 * srxe_hs_prk() - PRK of a handshake
 * @k_psk: psk of &struct srxe_psk_keys
 * @secret: own private value
 * @peer_share: the peer's public value
 * @prk: result; all zero on error
 *
 * Context: Process context, may sleep.
 * Return: 0; -EBADMSG for a public value of low order, to be treated as a bad
 *	MAC; or an error of the crypto API.
 */
int srxe_hs_prk(const u8 k_psk[SRXE_SECRET_LEN], const u8 secret[SRXE_SHARE_LEN],
		const u8 peer_share[SRXE_SHARE_LEN], u8 prk[SRXE_SECRET_LEN])
{
	u8 shared[SRXE_SHARE_LEN];
	struct kvec in = piece(shared, sizeof(shared));
	int err = -EBADMSG;

	memset(prk, 0, SRXE_SECRET_LEN);
	if (curve25519(shared, secret, peer_share))
		err = srxe_hmac(k_psk, &in, 1, prk);
	memzero_explicit(shared, sizeof(shared));
	return err;
}

/**
 * srxe_hs_th() - transcript hash
 * @p: addresses
 * @init: the INIT whose challenge @resp echoes, signed
 * @resp: the RESP; its MAC is not looked at
 * @th: result
 *
 * Context: Any.
 */
void srxe_hs_th(const struct srxe_p *p, const struct srxe_hs_msg *init,
		const struct srxe_hs_msg *resp, u8 th[SRXE_HASH_LEN])
{
	struct srxe_bth bth_i = bth_signed(init);
	struct srxe_bth bth_r = bth_signed(resp);
	struct kvec in[] = {
		piece(p, sizeof(*p)),
		piece(&bth_i, sizeof(bth_i)),
		piece(&init->seth, SIGNED_TAIL_LEN + SRXE_MAC_LEN),
		piece(&bth_r, sizeof(bth_r)),
		piece(&resp->seth, SIGNED_TAIL_LEN),
	};

	srxe_sha256(in, ARRAY_SIZE(in), th);
}

/**
 * srxe_hs_sa_secrets() - what a finished handshake gives
 * @prk: PRK
 * @th: transcript hash
 * @sec: result, secret; all zero on error
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of the crypto API.
 */
int srxe_hs_sa_secrets(const u8 prk[SRXE_SECRET_LEN], const u8 th[SRXE_HASH_LEN],
		       struct srxe_sa_secrets *sec)
{
	u8 ctx[1 + SRXE_HASH_LEN];
	unsigned int dir;
	int err;

	err = srxe_kdf(prk, SRXE_LABEL_SA_ID, th, SRXE_HASH_LEN, sec->sa_id,
		       sizeof(sec->sa_id));
	memcpy(ctx + 1, th, SRXE_HASH_LEN);
	for (dir = 0; !err && dir < SRXE_DIR_COUNT; dir++) {
		ctx[0] = dir;
		err = srxe_kdf(prk, SRXE_LABEL_CHAIN, ctx, sizeof(ctx),
			       sec->chain[dir], sizeof(sec->chain[dir]));
	}
	if (err)
		memzero_explicit(sec, sizeof(*sec));
	return err;
}

/**
 * srxe_epoch_keymat() - key and salt of an epoch
 * @chain: S_dir,e
 * @suite: the SA's suite
 * @mode: the SA's mode
 * @keymat: key and salt, srxe_suite_keymat_len() bytes; all zero on error
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of the crypto API.
 */
int srxe_epoch_keymat(const u8 chain[SRXE_SECRET_LEN],
		      const struct srxe_suite *suite, enum srxe_mode mode,
		      u8 keymat[SRXE_KEYMAT_MAX])
{
	u8 ctx[2] = { suite->id, mode };

	return srxe_kdf(chain, SRXE_LABEL_KEYS, ctx, sizeof(ctx), keymat,
			srxe_suite_keymat_len(suite));
}

/**
 * srxe_epoch_next() - the next link of the chain
 * @chain: S_dir,e
 * @next: e + 1
 * @out: S_dir,e+1, all zero on error; not @chain
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of the crypto API.
 */
int srxe_epoch_next(const u8 chain[SRXE_SECRET_LEN], u64 next,
		    u8 out[SRXE_SECRET_LEN])
{
	__be64 ctx = cpu_to_be64(next);

	return srxe_kdf(chain, SRXE_LABEL_NEXT, &ctx, sizeof(ctx), out,
			SRXE_SECRET_LEN);
}

/* INIT.MAC = HMAC(K_init, P || BTH' || SETH || signed body), cut */
static int init_mac(const struct srxe_psk_keys *keys, const struct srxe_p *p,
		    const struct srxe_hs_msg *init, u8 mac[SRXE_HASH_LEN])
{
	struct srxe_bth bth = bth_signed(init);
	struct kvec in[] = {
		piece(p, sizeof(*p)),
		piece(&bth, sizeof(bth)),
		piece(&init->seth, SIGNED_TAIL_LEN),
	};

	return srxe_hmac(keys->init, in, ARRAY_SIZE(in), mac);
}

/* RETRY/REFUSE.MAC = HMAC(K_retry, opcode || P || INIT.MAC || signed body), cut */
static int reply_mac(const struct srxe_psk_keys *keys, const struct srxe_p *p,
		     const struct srxe_hs_msg *init,
		     const struct srxe_hs_msg *reply, u8 mac[SRXE_HASH_LEN])
{
	struct kvec in[] = {
		piece(&reply->bth.opcode, sizeof(reply->bth.opcode)),
		piece(p, sizeof(*p)),
		piece(init->body.mac, SRXE_MAC_LEN),
		piece(&reply->body, SRXE_HS_SIGNED_LEN),
	};

	return srxe_hmac(keys->retry, in, ARRAY_SIZE(in), mac);
}

static int finish_sign(int err, u8 mac[SRXE_HASH_LEN], struct srxe_hs_msg *msg)
{
	if (!err)
		memcpy(msg->body.mac, mac, SRXE_MAC_LEN);
	memzero_explicit(mac, SRXE_HASH_LEN);
	return err;
}

static int finish_verify(int err, u8 mac[SRXE_HASH_LEN],
			 const struct srxe_hs_msg *msg)
{
	if (!err && crypto_memneq(msg->body.mac, mac, SRXE_MAC_LEN))
		err = -EBADMSG;
	memzero_explicit(mac, SRXE_HASH_LEN);
	return err;
}

/**
 * srxe_hs_sign_init() - put the MAC into an INIT
 * @keys: of the PSK
 * @p: addresses
 * @init: complete but for the MAC
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of the crypto API.
 */
int srxe_hs_sign_init(const struct srxe_psk_keys *keys, const struct srxe_p *p,
		      struct srxe_hs_msg *init)
{
	u8 mac[SRXE_HASH_LEN];

	return finish_sign(init_mac(keys, p, init, mac), mac, init);
}

/**
 * srxe_hs_verify_init() - check the MAC of an INIT
 * @keys: of the PSK it names
 * @p: addresses of the packet
 * @init: passed srxe_hs_check()
 *
 * Context: Process context, may sleep.
 * Return: 0, -EBADMSG, or an error of the crypto API.
 */
int srxe_hs_verify_init(const struct srxe_psk_keys *keys, const struct srxe_p *p,
			const struct srxe_hs_msg *init)
{
	u8 mac[SRXE_HASH_LEN];

	return finish_verify(init_mac(keys, p, init, mac), mac, init);
}

/**
 * srxe_hs_sign_resp() - put the MAC into a RESP
 * @prk: PRK
 * @th: transcript hash over this very RESP
 * @resp: complete but for the MAC
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of the crypto API.
 */
int srxe_hs_sign_resp(const u8 prk[SRXE_SECRET_LEN], const u8 th[SRXE_HASH_LEN],
		      struct srxe_hs_msg *resp)
{
	return srxe_kdf(prk, SRXE_LABEL_RESP, th, SRXE_HASH_LEN, resp->body.mac,
			sizeof(resp->body.mac));
}

/**
 * srxe_hs_verify_resp() - check the MAC of a RESP
 * @prk: PRK
 * @th: transcript hash over this very RESP
 * @resp: passed srxe_hs_check() and srxe_hs_fits()
 *
 * Context: Process context, may sleep.
 * Return: 0, -EBADMSG, or an error of the crypto API.
 */
int srxe_hs_verify_resp(const u8 prk[SRXE_SECRET_LEN], const u8 th[SRXE_HASH_LEN],
			const struct srxe_hs_msg *resp)
{
	u8 mac[SRXE_HASH_LEN];
	int err;

	err = srxe_kdf(prk, SRXE_LABEL_RESP, th, SRXE_HASH_LEN, mac, SRXE_MAC_LEN);
	return finish_verify(err, mac, resp);
}

/**
 * srxe_hs_sign_reply() - put the MAC into a RETRY or REFUSE
 * @keys: of the PSK that the INIT names
 * @p: addresses, as for the INIT
 * @init: the INIT answered, verified
 * @reply: complete but for the MAC
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of the crypto API.
 */
int srxe_hs_sign_reply(const struct srxe_psk_keys *keys, const struct srxe_p *p,
		       const struct srxe_hs_msg *init, struct srxe_hs_msg *reply)
{
	u8 mac[SRXE_HASH_LEN];

	return finish_sign(reply_mac(keys, p, init, reply, mac), mac, reply);
}

/**
 * srxe_hs_verify_reply() - check the MAC of a RETRY or REFUSE
 * @keys: of the PSK that the INIT names
 * @p: addresses, as for the INIT
 * @init: own INIT
 * @reply: passed srxe_hs_check() and srxe_hs_fits()
 *
 * Context: Process context, may sleep.
 * Return: 0, -EBADMSG, or an error of the crypto API.
 */
int srxe_hs_verify_reply(const struct srxe_psk_keys *keys, const struct srxe_p *p,
			 const struct srxe_hs_msg *init,
			 const struct srxe_hs_msg *reply)
{
	u8 mac[SRXE_HASH_LEN];

	return finish_verify(reply_mac(keys, p, init, reply, mac), mac, reply);
}

/**
 * srxe_hs_challenge() - challenge of a pair of addresses
 * @secret: random of this boot
 * @period: boottime in units of SRXE_CHALLENGE_PERIOD_S
 * @p: addresses
 * @out: result
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of the crypto API.
 */
int srxe_hs_challenge(const u8 secret[SRXE_SECRET_LEN], u64 period,
		      const struct srxe_p *p, u8 out[SRXE_CHALLENGE_LEN])
{
	__be64 be_period = cpu_to_be64(period);
	struct kvec in[] = {
		piece(&be_period, sizeof(be_period)),
		piece(p, sizeof(*p)),
	};
	u8 mac[SRXE_HASH_LEN];
	int err;

	err = srxe_hmac(secret, in, ARRAY_SIZE(in), mac);
	memcpy(out, mac, SRXE_CHALLENGE_LEN);
	memzero_explicit(mac, sizeof(mac));
	return err;
}

/**
 * srxe_hs_challenge_ok() - is this a challenge of now or of the period before?
 * @secret: random of this boot
 * @period: boottime in units of SRXE_CHALLENGE_PERIOD_S
 * @p: addresses of the packet
 * @challenge: as received
 *
 * Context: Process context, may sleep.
 * Return: 0; -ESTALE if it is neither, absent included; or an error of the
 *	crypto API.
 */
int srxe_hs_challenge_ok(const u8 secret[SRXE_SECRET_LEN], u64 period,
			 const struct srxe_p *p,
			 const u8 challenge[SRXE_CHALLENGE_LEN])
{
	u8 good[SRXE_CHALLENGE_LEN];
	int err;

	err = srxe_hs_challenge(secret, period, p, good);
	if (!err && crypto_memneq(challenge, good, sizeof(good))) {
		err = -ESTALE;
		if (period) {
			err = srxe_hs_challenge(secret, period - 1, p, good);
			if (!err && crypto_memneq(challenge, good, sizeof(good)))
				err = -ESTALE;
		}
	}
	memzero_explicit(good, sizeof(good));
	return err;
}

/**
 * srxe_hs_order() - who is the preferred initiator?
 * @gid_a: GID of one side
 * @qpn_a: QPN of one side
 * @gid_b: GID of the other side
 * @qpn_b: QPN of the other side
 *
 * Context: Any.
 * Return: < 0 if it is a, > 0 if it is b, 0 for an SA with oneself.
 */
int srxe_hs_order(const u8 gid_a[SRXE_GID_LEN], u32 qpn_a,
		  const u8 gid_b[SRXE_GID_LEN], u32 qpn_b)
{
	int diff = memcmp(gid_a, gid_b, SRXE_GID_LEN);

	if (diff)
		return diff;
	return qpn_a < qpn_b ? -1 : qpn_a > qpn_b;
}
