/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Handshake messages: building, checking, and the keys that come of them.
 * Pure functions: no state, no time, no randomness but srxe_hs_share_new().
 *
 * P is GID_i || GID_r of the packet's own IP header, the attempt's initiator
 * first. An "attempt" is one INIT and what answers it.
 */
#ifndef SRXE_HS_MSG_H
#define SRXE_HS_MSG_H

#include <linux/types.h>
#include "srxe_kdf.h"
#include "srxe_suite.h"

/* struct srxe_p - the addresses a handshake is bound to */
struct srxe_p {
	u8	gid_i[SRXE_GID_LEN];
	u8	gid_r[SRXE_GID_LEN];
};

/**
 * struct srxe_psk_keys - all that is derived from a PSK alone
 * @key_id: public name of the PSK
 * @init: key of INIT.MAC
 * @retry: key of RETRY.MAC and REFUSE.MAC
 * @psk: enters the PRK
 */
struct srxe_psk_keys {
	u8	key_id[SRXE_KEY_ID_LEN];
	u8	init[SRXE_SECRET_LEN];
	u8	retry[SRXE_SECRET_LEN];
	u8	psk[SRXE_SECRET_LEN];
};

/* enum srxe_dir - direction of traffic under an SA */
enum srxe_dir {
	SRXE_DIR_I2R	= 0,	/* the SA's initiator sends */
	SRXE_DIR_R2I	= 1,
	SRXE_DIR_COUNT,
};

/**
 * struct srxe_sa_secrets - what a finished handshake gives
 * @sa_id: public name of the SA
 * @chain: S_dir,0, by &enum srxe_dir
 */
struct srxe_sa_secrets {
	u8	sa_id[SRXE_SA_ID_LEN];
	u8	chain[SRXE_DIR_COUNT][SRXE_SECRET_LEN];
};

/**
 * struct srxe_hs_init - what an INIT says, in host order
 * @kind: &enum srxe_kind
 * @min_mode: &enum srxe_mode
 * @suites: bitmap of suites offered
 * @qpn_i: initiator's QPN, 0 for datagram kinds
 * @qpn_r: responder's QPN, 0 for datagram kinds
 * @spi: SPI the initiator will receive on
 * @key_id: name of the PSK
 * @challenge: challenge from the cache, or NULL
 * @nonce: fresh random bytes
 * @share: X25519 public value
 */
struct srxe_hs_init {
	u8		kind;
	u8		min_mode;
	u16		suites;
	u32		qpn_i;
	u32		qpn_r;
	u32		spi;
	const u8	*key_id;
	const u8	*challenge;
	const u8	*nonce;
	const u8	*share;
};

/**
 * enum srxe_hs_err - why a handshake message is dropped
 * @SRXE_HS_OK: it is not
 * @SRXE_HS_ELEN: not exactly one bare message
 * @SRXE_HS_EHDR: BTH or SETH not as a bare message has them
 * @SRXE_HS_EVERSION: not our version
 * @SRXE_HS_EZERO: a field that must be zero is not
 * @SRXE_HS_EKIND: no such kind
 * @SRXE_HS_EMODE: no such mode, or no such reason in a REFUSE
 * @SRXE_HS_ESUITE: no suite, or in a RESP not exactly one that exists
 * @SRXE_HS_EQPN: QPNs do not fit the kind or the BTH
 * @SRXE_HS_ESPI: a reserved SPI
 * @SRXE_HS_EKEYID: a key id that no PSK can have
 * @SRXE_HS_EFIT: does not answer the INIT at hand
 */
enum srxe_hs_err {
	SRXE_HS_OK,
	SRXE_HS_ELEN,
	SRXE_HS_EHDR,
	SRXE_HS_EVERSION,
	SRXE_HS_EZERO,
	SRXE_HS_EKIND,
	SRXE_HS_EMODE,
	SRXE_HS_ESUITE,
	SRXE_HS_EQPN,
	SRXE_HS_ESPI,
	SRXE_HS_EKEYID,
	SRXE_HS_EFIT,
};

/* Keys */
bool srxe_key_id_ok(const u8 key_id[SRXE_KEY_ID_LEN]);
int srxe_psk_derive(const u8 psk[SRXE_PSK_LEN], struct srxe_psk_keys *keys);
int srxe_hs_share_new(u8 secret[SRXE_SHARE_LEN], u8 share[SRXE_SHARE_LEN]);
int srxe_hs_prk(const u8 k_psk[SRXE_SECRET_LEN], const u8 secret[SRXE_SHARE_LEN],
		const u8 peer_share[SRXE_SHARE_LEN], u8 prk[SRXE_SECRET_LEN]);
void srxe_hs_th(const struct srxe_p *p, const struct srxe_hs_msg *init,
		const struct srxe_hs_msg *resp, u8 th[SRXE_HASH_LEN]);
int srxe_hs_sa_secrets(const u8 prk[SRXE_SECRET_LEN], const u8 th[SRXE_HASH_LEN],
		       struct srxe_sa_secrets *sec);
int srxe_epoch_keymat(const u8 chain[SRXE_SECRET_LEN],
		      const struct srxe_suite *suite, enum srxe_mode mode,
		      u8 keymat[SRXE_KEYMAT_MAX]);
int srxe_epoch_next(const u8 chain[SRXE_SECRET_LEN], u64 next,
		    u8 out[SRXE_SECRET_LEN]);

/* Messages */
void srxe_hs_build_init(struct srxe_hs_msg *msg, const struct srxe_hs_init *v);
void srxe_hs_build_resp(struct srxe_hs_msg *msg, const struct srxe_hs_msg *init,
			enum srxe_mode mode, unsigned int suite_id, u32 spi,
			const u8 nonce[SRXE_NONCE_LEN],
			const u8 share[SRXE_SHARE_LEN]);
void srxe_hs_build_retry(struct srxe_hs_msg *msg, const struct srxe_hs_msg *init,
			 const u8 challenge[SRXE_CHALLENGE_LEN]);
void srxe_hs_build_refuse(struct srxe_hs_msg *msg, const struct srxe_hs_msg *init,
			  enum srxe_refuse reason);
void srxe_hs_set_challenge(struct srxe_hs_msg *init,
			   const u8 challenge[SRXE_CHALLENGE_LEN]);

int srxe_hs_sign_init(const struct srxe_psk_keys *keys, const struct srxe_p *p,
		      struct srxe_hs_msg *init);
int srxe_hs_verify_init(const struct srxe_psk_keys *keys, const struct srxe_p *p,
			const struct srxe_hs_msg *init);
int srxe_hs_sign_resp(const u8 prk[SRXE_SECRET_LEN], const u8 th[SRXE_HASH_LEN],
		      struct srxe_hs_msg *resp);
int srxe_hs_verify_resp(const u8 prk[SRXE_SECRET_LEN], const u8 th[SRXE_HASH_LEN],
			const struct srxe_hs_msg *resp);
int srxe_hs_sign_reply(const struct srxe_psk_keys *keys, const struct srxe_p *p,
		       const struct srxe_hs_msg *init, struct srxe_hs_msg *reply);
int srxe_hs_verify_reply(const struct srxe_psk_keys *keys, const struct srxe_p *p,
			 const struct srxe_hs_msg *init,
			 const struct srxe_hs_msg *reply);

enum srxe_hs_err srxe_hs_check(const void *pkt, size_t len);
enum srxe_hs_err srxe_hs_fits(const struct srxe_hs_msg *init,
			      const struct srxe_hs_msg *answer);

/* Challenges and order */
int srxe_hs_challenge(const u8 secret[SRXE_SECRET_LEN], u64 period,
		      const struct srxe_p *p, u8 out[SRXE_CHALLENGE_LEN]);
int srxe_hs_challenge_ok(const u8 secret[SRXE_SECRET_LEN], u64 period,
			 const struct srxe_p *p,
			 const u8 challenge[SRXE_CHALLENGE_LEN]);
int srxe_hs_order(const u8 gid_a[SRXE_GID_LEN], u32 qpn_a,
		  const u8 gid_b[SRXE_GID_LEN], u32 qpn_b);

#endif /* SRXE_HS_MSG_H */
