/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Key derivation: NIST SP 800-108 in counter mode over HMAC-SHA-256,
 *
 *   Ti = HMAC(K, be32(i) || "srxe1 " || label || 0x00 || ctx || be32(8n))
 *
 * K is always SRXE_SECRET_LEN bytes. A label fixes the length of its context
 * and of its output, so that two labels or contexts never meet in one input.
 */
#ifndef SRXE_KDF_H
#define SRXE_KDF_H

#include <linux/types.h>
#include <linux/uio.h>
#include <crypto/hash.h>
#include <rdma/srxe_wire.h>

/* Longest key and salt a suite takes, hence the longest output of "keys". */
#define SRXE_KEYMAT_MAX		40
/* Context of "mr". */
#define SRXE_MR_CTX_LEN		52

/*
 * enum srxe_label - what is derived, from what, over which context
 *
 *			   from		context			bytes
 * SRXE_LABEL_KEYID	   PSK		-			16
 * SRXE_LABEL_INIT	   PSK		-			32
 * SRXE_LABEL_RETRY	   PSK		-			32
 * SRXE_LABEL_PSK	   PSK		-			32
 * SRXE_LABEL_RESP	   PRK		TH			16
 * SRXE_LABEL_SA_ID	   PRK		TH			16
 * SRXE_LABEL_CHAIN	   PRK		direction(1) || TH	32
 * SRXE_LABEL_KEYS	   S_dir,e	suite(1) || mode(1)	key + salt
 * SRXE_LABEL_NEXT	   S_dir,e	e + 1 (8)		32
 * SRXE_LABEL_MR	   K_pd		SRXE_MR_CTX_LEN		32
 * SRXE_LABEL_REGION	   node		descriptor (32)		32
 * SRXE_LABEL_TAG	   node		-			32
 */
enum srxe_label {
	SRXE_LABEL_KEYID,
	SRXE_LABEL_INIT,
	SRXE_LABEL_RETRY,
	SRXE_LABEL_PSK,
	SRXE_LABEL_RESP,
	SRXE_LABEL_SA_ID,
	SRXE_LABEL_CHAIN,
	SRXE_LABEL_KEYS,
	SRXE_LABEL_NEXT,
	SRXE_LABEL_MR,
	SRXE_LABEL_REGION,
	SRXE_LABEL_TAG,
	SRXE_LABEL_COUNT,
};

struct crypto_shash *srxe_hmac_alloc(void);
int srxe_kdf_tfm(struct crypto_shash *hmac, const u8 key[SRXE_SECRET_LEN],
		 enum srxe_label label, const void *ctx, size_t ctxlen,
		 u8 *out, size_t n);
int srxe_kdf(const u8 key[SRXE_SECRET_LEN], enum srxe_label label,
	     const void *ctx, size_t ctxlen, u8 *out, size_t n);
int srxe_hmac(const u8 key[SRXE_SECRET_LEN], const struct kvec *in,
	      unsigned int nvec, u8 out[SRXE_HASH_LEN]);
void srxe_sha256(const struct kvec *in, unsigned int nvec,
		 u8 out[SRXE_HASH_LEN]);

#endif /* SRXE_KDF_H */
