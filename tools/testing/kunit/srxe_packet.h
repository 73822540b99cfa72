/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sealing and opening one packet the way the driver does.
 */
#ifndef SRXE_PACKET_H
#define SRXE_PACKET_H

#include <linux/crypto.h>
#include <linux/err.h>

#include "srxe_kunit.h"
#include "srxe_frame.h"
#include "srxe_kdf.h"
#include "srxe_suite.h"

/* One key, as an SA has it for an epoch, and a request under it. */
struct packet_key {
	const struct srxe_suite	*suite;
	struct crypto_aead	*tfm;
	struct aead_request	*req;
	struct srxe_frame_sg	fsg;
	u8			iv[SRXE_IV_MAX];
	u8			keymat[SRXE_KEYMAT_MAX];
};

static inline void packet_key_free(void *data)
{
	struct packet_key *key = data;

	aead_request_free(key->req);
	crypto_free_aead(key->tfm);
}

static inline struct packet_key *packet_key_new(struct kunit *test, unsigned int suite,
						const char *driver, const u8 *keymat)
{
	struct packet_key *key = kunit_kzalloc(test, sizeof(*key), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, key);
	key->suite = srxe_suite_by_id(suite);
	KUNIT_ASSERT_NOT_NULL(test, key->suite);
	memcpy(key->keymat, keymat, srxe_suite_keymat_len(key->suite));
	key->tfm = srxe_suite_alloc(key->suite, driver, key->keymat);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(key->tfm), "%s %s: %pe", key->suite->name,
			       driver ?: "", key->tfm);
	key->req = aead_request_alloc(key->tfm, GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, packet_key_free, key));
	KUNIT_ASSERT_NOT_NULL(test, key->req);
	return key;
}

/* 0, or what the crypto API says. */
static inline int packet_crypt(struct packet_key *key, const struct srxe_frame *f, void *pkt,
			       bool seal)
{
	const struct srxe_seth *seth = pkt + sizeof(struct srxe_bth);
	struct srxe_seth_fields v;
	DECLARE_CRYPTO_WAIT(wait);

	srxe_seth_parse(seth, &v);
	srxe_nonce(key->suite, key->keymat + key->suite->key_len, v.pn, key->iv);
	srxe_frame_sg_init(f, pkt, &key->fsg);
	aead_request_set_callback(key->req,
				  CRYPTO_TFM_REQ_MAY_BACKLOG | CRYPTO_TFM_REQ_MAY_SLEEP,
				  crypto_req_done, &wait);
	srxe_frame_set_request(f, &key->fsg, key->req, key->iv, seal);
	return crypto_wait_req(seal ? crypto_aead_encrypt(key->req) :
				      crypto_aead_decrypt(key->req), &wait);
}

/*
 * Opens @pkt in place. Returns 0, a negative &enum srxe_frame_class, or an errno
 * of the crypto API; 1 if only the pad bytes were wrong.
 */
static inline int packet_open(struct packet_key *key, void *pkt, size_t len,
			      unsigned int ext_len, bool rkh_ok)
{
	struct srxe_frame f;
	int err;

	err = srxe_frame_classify(pkt, len);
	if (err < 0)
		return err;
	srxe_bth_normalise(pkt);
	err = srxe_frame_layout(&f, pkt, len, ext_len, rkh_ok);
	if (err)
		return err;
	err = packet_crypt(key, &f, pkt, false);
	if (err)
		return err;
	return srxe_frame_pad_ok(&f, pkt) ? 0 : 1;
}

#endif /* SRXE_PACKET_H */
