/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * AEAD suites: one row of data each, no code of their own.
 */
#ifndef SRXE_SUITE_H
#define SRXE_SUITE_H

#include <linux/types.h>
#include <crypto/aead.h>
#include <rdma/srxe_wire.h>

/* Longest AEAD nonce of any suite. */
#define SRXE_IV_MAX		16
#define SRXE_SALT_MAX		8
/* All suites there are, as a bitmap. */
#define SRXE_SUITES_ALL		((1U << SRXE_SUITE_COUNT) - 1)

/**
 * struct srxe_suite - one AEAD suite
 * @name: as in netlink and on the command line
 * @alg: kernel crypto API algorithm name
 * @soft_packets: packets after which a sender moves to the next epoch
 * @hard_packets: packets after which a sender refuses to send in the epoch
 * @id: &enum srxe_suite_id
 * @key_len: bytes
 * @salt_len: bytes of the nonce before the packet number
 * @nonce_len: bytes, @salt_len + 8
 *
 * The key material of an epoch is @key_len bytes of key, then @salt_len of salt.
 */
struct srxe_suite {
	const char	*name;
	const char	*alg;
	u64		soft_packets;
	u64		hard_packets;
	u8		id;
	u8		key_len;
	u8		salt_len;
	u8		nonce_len;
};

/**
 * srxe_suite_keymat_len() - length of an epoch's key material
 * @suite: the suite
 *
 * Context: any.
 * Return: bytes, at most SRXE_KEYMAT_MAX.
 */
static inline size_t srxe_suite_keymat_len(const struct srxe_suite *suite)
{
	return suite->key_len + suite->salt_len;
}

const struct srxe_suite *srxe_suite_by_id(unsigned int id);
const struct srxe_suite *srxe_suite_by_name(const char *name);
const struct srxe_suite *srxe_suite_pick(u16 bitmap);
struct crypto_aead *srxe_suite_alloc(const struct srxe_suite *suite,
				     const char *driver, const u8 *keymat);
void srxe_nonce(const struct srxe_suite *suite, const u8 *salt, u64 pn,
		u8 iv[SRXE_IV_MAX]);

#endif /* SRXE_SUITE_H */
