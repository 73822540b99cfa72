// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * AEAD suites.
 */
#include <linux/err.h>
#include <linux/string.h>

#include "srxe_kdf.h"
#include "srxe_suite.h"

/* In order of preference, which is that of their ids. */
static const struct srxe_suite suites[] = {
	{
		.id		= SRXE_SUITE_AES256_GCM,
		.name		= "aes256-gcm",
		.alg		= "gcm(aes)",
		.key_len	= 32,
		.salt_len	= 4,
		.nonce_len	= 12,
		.soft_packets	= SRXE_GCM_SOFT_PACKETS,
		.hard_packets	= SRXE_GCM_HARD_PACKETS,
	}, {
		.id		= SRXE_SUITE_AES128_GCM,
		.name		= "aes128-gcm",
		.alg		= "gcm(aes)",
		.key_len	= 16,
		.salt_len	= 4,
		.nonce_len	= 12,
		.soft_packets	= SRXE_GCM_SOFT_PACKETS,
		.hard_packets	= SRXE_GCM_HARD_PACKETS,
	}, {
		.id		= SRXE_SUITE_CHACHA20_POLY1305,
		.name		= "chacha20-poly1305",
		.alg		= "rfc7539(chacha20,poly1305)",
		.key_len	= 32,
		.salt_len	= 4,
		.nonce_len	= 12,
		.soft_packets	= SRXE_SOFT_PACKETS,
		.hard_packets	= SRXE_HARD_PACKETS,
	}, {
		.id		= SRXE_SUITE_AEGIS128,
		.name		= "aegis128",
		.alg		= "aegis128",
		.key_len	= 16,
		.salt_len	= 8,
		.nonce_len	= 16,
		.soft_packets	= SRXE_SOFT_PACKETS,
		.hard_packets	= SRXE_HARD_PACKETS,
	},
};

/**
 * srxe_suite_by_id() - look a suite up
 * @id: &enum srxe_suite_id
 *
 * Context: Any.
 * Return: the suite, or NULL.
 */
const struct srxe_suite *srxe_suite_by_id(unsigned int id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		if (suites[i].id == id)
			return &suites[i];
	return NULL;
}

/**
 * srxe_suite_by_name() - look a suite up
 * @name: as users write it
 *
 * Context: Any.
 * Return: the suite, or NULL.
 */
const struct srxe_suite *srxe_suite_by_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		if (!strcmp(suites[i].name, name))
			return &suites[i];
	return NULL;
}

/**
 * srxe_suite_pick() - the best of several
 * @bitmap: suites both sides allow, bit (1 << id) each; unknown bits are ignored
 *
 * Context: Any.
 * Return: the suite, or NULL if none is known.
 */
const struct srxe_suite *srxe_suite_pick(u16 bitmap)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		if (bitmap & (1U << suites[i].id))
			return &suites[i];
	return NULL;
}

static bool is_suite(const struct srxe_suite *suite, struct crypto_aead *tfm)
{
	const char *alg = crypto_tfm_alg_name(crypto_aead_tfm(tfm));

	/* A pinned driver may well be a driver of something else. */
	return !strcmp(alg, suite->alg) &&
	       crypto_aead_ivsize(tfm) == suite->nonce_len;
}

/**
 * srxe_suite_alloc() - keyed transform of a suite
 * @suite: the suite
 * @driver: name of the driver to use, or NULL for the one of highest priority
 * @keymat: key material of an epoch, srxe_suite_keymat_len() bytes; the salt
 *	is not used here
 *
 * The transform may be asynchronous.
 *
 * Context: Process context, may sleep.
 * Return: a transform to be freed by crypto_free_aead(); ERR_PTR(-EINVAL) if
 *	@driver is not an implementation of the suite, -ENOENT if there is none,
 *	or another error of the crypto API.
 */
struct crypto_aead *srxe_suite_alloc(const struct srxe_suite *suite,
				     const char *driver, const u8 *keymat)
{
	struct crypto_aead *tfm;
	int err;

	tfm = crypto_alloc_aead(driver ?: suite->alg, 0, 0);
	if (IS_ERR(tfm))
		return tfm;
	err = -EINVAL;
	if (!is_suite(suite, tfm))
		goto err_free;
	err = crypto_aead_setauthsize(tfm, SRXE_ICV_LEN);
	if (err)
		goto err_free;
	err = crypto_aead_setkey(tfm, keymat, suite->key_len);
	if (err)
		goto err_free;
	return tfm;

err_free:
	crypto_free_aead(tfm);
	return ERR_PTR(err);
}

/**
 * srxe_nonce() - AEAD nonce of a packet
 * @suite: the suite
 * @salt: the suite's salt_len bytes, behind the key in the key material
 * @pn: packet number
 * @iv: result; the suite's nonce_len bytes of it are written
 *
 * Context: Any.
 */
void srxe_nonce(const struct srxe_suite *suite, const u8 *salt, u64 pn,
		u8 iv[SRXE_IV_MAX])
{
	__be64 number = cpu_to_be64(pn);

	memcpy(iv, salt, suite->salt_len);
	memcpy(iv + suite->salt_len, &number, sizeof(number));
}
