// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Key derivation (SP 800-108, counter mode, HMAC-SHA-256) and the two hash
 * helpers the handshake needs.
 */
#include <linux/err.h>
#include <linux/string.h>
#include <crypto/kdf_sp800108.h>
#include <crypto/sha2.h>

#include "srxe_kdf.h"

/* The counter in front is crypto_kdf108_ctr_generate()'s own. */
#define LABEL_PREFIX	"srxe1 "

struct label_row {
	const char	*label;
	u16		ctxlen;
	u16		outlen;		/* bytes; 0: up to SRXE_KEYMAT_MAX */
};

static const struct label_row labels[SRXE_LABEL_COUNT] = {
	[SRXE_LABEL_KEYID]	= { "keyid",	0,			SRXE_KEY_ID_LEN },
	[SRXE_LABEL_INIT]	= { "init",	0,			SRXE_SECRET_LEN },
	[SRXE_LABEL_RETRY]	= { "retry",	0,			SRXE_SECRET_LEN },
	[SRXE_LABEL_PSK]	= { "psk",	0,			SRXE_SECRET_LEN },
	[SRXE_LABEL_RESP]	= { "resp",	SRXE_HASH_LEN,		SRXE_MAC_LEN },
	[SRXE_LABEL_SA_ID]	= { "sa id",	SRXE_HASH_LEN,		SRXE_SA_ID_LEN },
	[SRXE_LABEL_CHAIN]	= { "chain",	1 + SRXE_HASH_LEN,	SRXE_SECRET_LEN },
	[SRXE_LABEL_KEYS]	= { "keys",	2,			0 },
	[SRXE_LABEL_NEXT]	= { "next",	8,			SRXE_SECRET_LEN },
	[SRXE_LABEL_MR]		= { "mr",	SRXE_MR_CTX_LEN,	SRXE_SECRET_LEN },
	[SRXE_LABEL_REGION]	= { "region",	sizeof(struct srxe_region_desc),
							SRXE_SECRET_LEN },
	[SRXE_LABEL_TAG]	= { "tag",	0,			SRXE_SECRET_LEN },
};

static bool lengths_ok(enum srxe_label label, size_t ctxlen, size_t n)
{
	const struct label_row *row;

	if ((unsigned int)label >= SRXE_LABEL_COUNT)
		return false;
	row = &labels[label];
	if (ctxlen != row->ctxlen)
		return false;
	return row->outlen ? n == row->outlen : n && n <= SRXE_KEYMAT_MAX;
}

/**
 * srxe_hmac_alloc() - transform for srxe_kdf_tfm()
 *
 * Context: Process context, may sleep.
 * Return: a transform to be freed by crypto_free_shash(), or an ERR_PTR.
 */
struct crypto_shash *srxe_hmac_alloc(void)
{
	return crypto_alloc_shash("hmac(sha256)", 0, 0);
}

/**
 * srxe_kdf_tfm() - derive with a transform of the caller's
 * @hmac: from srxe_hmac_alloc(); nobody else may use it meanwhile. It holds
 *	@key afterwards
 * @key: key to derive from
 * @label: what to derive
 * @ctx: context, NULL if the label has none
 * @ctxlen: bytes; must be what the label says
 * @out: result, all zero on error
 * @n: bytes of result; must be what the label says
 *
 * Context: Any but hard interrupts; does not sleep.
 * Return: 0, -EINVAL for a length that is not the label's, or an error of the
 *	crypto API.
 */
int srxe_kdf_tfm(struct crypto_shash *hmac, const u8 key[SRXE_SECRET_LEN],
		 enum srxe_label label, const void *ctx, size_t ctxlen,
		 u8 *out, size_t n)
{
	__be32 bits = cpu_to_be32(8 * n);
	struct kvec in[4];
	int err;

	if (!lengths_ok(label, ctxlen, n)) {
		memzero_explicit(out, n);
		return -EINVAL;
	}
	in[0].iov_base = LABEL_PREFIX;
	in[0].iov_len = strlen(LABEL_PREFIX);
	/* The zero byte behind the label is the string's own. */
	in[1].iov_base = (void *)labels[label].label;
	in[1].iov_len = strlen(labels[label].label) + 1;
	in[2].iov_base = (void *)ctx;
	in[2].iov_len = ctxlen;
	in[3].iov_base = &bits;
	in[3].iov_len = sizeof(bits);

	err = crypto_kdf108_setkey(hmac, key, SRXE_SECRET_LEN, NULL, 0);
	if (!err)
		err = crypto_kdf108_ctr_generate(hmac, in, ARRAY_SIZE(in), out, n);
	if (err)
		memzero_explicit(out, n);
	return err;
}

/**
 * srxe_kdf() - derive one key or name
 * @key: key to derive from
 * @label: what to derive
 * @ctx: context, NULL if the label has none
 * @ctxlen: bytes; must be what the label says
 * @out: result, all zero on error
 * @n: bytes of result; must be what the label says
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL for a length that is not the label's, or an error of the
 *	crypto API.
 */
int srxe_kdf(const u8 key[SRXE_SECRET_LEN], enum srxe_label label,
	     const void *ctx, size_t ctxlen, u8 *out, size_t n)
{
	struct crypto_shash *hmac = srxe_hmac_alloc();
	int err;

	if (IS_ERR(hmac)) {
		memzero_explicit(out, n);
		return PTR_ERR(hmac);
	}
	err = srxe_kdf_tfm(hmac, key, label, ctx, ctxlen, out, n);
	crypto_free_shash(hmac);
	return err;
}

static int hmac_update_all(struct crypto_shash *hmac, const struct kvec *in,
			   unsigned int nvec, u8 out[SRXE_HASH_LEN])
{
	SHASH_DESC_ON_STACK(desc, hmac);
	unsigned int i;
	int err;

	desc->tfm = hmac;
	err = crypto_shash_init(desc);
	for (i = 0; !err && i < nvec; i++)
		err = crypto_shash_update(desc, in[i].iov_base, in[i].iov_len);
	if (!err)
		err = crypto_shash_final(desc, out);
	shash_desc_zero(desc);
	return err;
}

/**
 * srxe_hmac() - HMAC-SHA-256
 * @key: key
 * @in: pieces of the message
 * @nvec: number of pieces
 * @out: the whole MAC, all zero on error
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of the crypto API.
 */
int srxe_hmac(const u8 key[SRXE_SECRET_LEN], const struct kvec *in,
	      unsigned int nvec, u8 out[SRXE_HASH_LEN])
{
	struct crypto_shash *hmac = srxe_hmac_alloc();
	int err;

	if (IS_ERR(hmac)) {
		memzero_explicit(out, SRXE_HASH_LEN);
		return PTR_ERR(hmac);
	}
	err = crypto_shash_setkey(hmac, key, SRXE_SECRET_LEN);
	if (!err)
		err = hmac_update_all(hmac, in, nvec, out);
	if (err)
		memzero_explicit(out, SRXE_HASH_LEN);
	crypto_free_shash(hmac);
	return err;
}

/**
 * srxe_sha256() - SHA-256 of public data
 * @in: pieces of the message
 * @nvec: number of pieces
 * @out: the hash
 *
 * Context: Any.
 */
void srxe_sha256(const struct kvec *in, unsigned int nvec,
		 u8 out[SRXE_HASH_LEN])
{
	struct sha256_state state;
	unsigned int i;

	sha256_init(&state);
	for (i = 0; i < nvec; i++)
		sha256_update(&state, in[i].iov_base, in[i].iov_len);
	sha256_final(&state, out);
}
