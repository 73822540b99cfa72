/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One packet in crypto: everything that must stay where it is until the
 * request completes, inline or later.
 */
#ifndef SRXE_REQ_H
#define SRXE_REQ_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <crypto/aead.h>

#include "rxe.h"
#include "srxe_fifo.h"
#include "srxe_frame.h"
#include "srxe_suite.h"

struct srxe_epoch_key;
struct srxe_sa;

/**
 * struct srxe_req - a packet being sealed or opened
 * @fifo: place in its direction's order
 * @sa: SA, referenced
 * @key: key, referenced; set with the place in the FIFO
 * @skb: packet, owned
 * @dev: netdev of @skb, referenced: where a packet waits for an engine, nothing
 *	else keeps it
 * @pkt: sealing: packet info with a reference to its qp; opening: in the skb
 * @seth: SETH in host order
 * @frame: layout
 * @err: result of the crypto, or of what came before it
 * @drop: opening: counter of what the serial stage has found wrong, or 0
 * @seal: sealing, not opening
 * @moved: opening: it moved the right edge of the window
 * @iv: nonce
 * @fsg: scatterlist
 * @aead: last: the transform's own memory follows
 */
struct srxe_req {
	struct srxe_fifo_entry	fifo;
	struct srxe_sa		*sa;
	struct srxe_epoch_key	*key;
	struct sk_buff		*skb;
	struct net_device	*dev;
	struct rxe_pkt_info	pkt;
	struct srxe_seth_fields	seth;
	struct srxe_frame	frame;
	int			err;
	int			drop;
	bool			seal;
	bool			moved;
	u8			iv[SRXE_IV_MAX] CRYPTO_MINALIGN_ATTR;
	struct srxe_frame_sg	fsg;
	struct aead_request	aead;
};

int srxe_req_init(void);
void srxe_req_exit(void);
bool srxe_req_fits(struct crypto_aead *tfm);

struct srxe_req *srxe_req_alloc(struct srxe_sa *sa, struct sk_buff *skb, bool seal);
void srxe_req_free(struct srxe_req *req);
void srxe_req_submit(struct srxe_req *req);
void srxe_req_done(struct srxe_req *req, int err);
void srxe_req_drain_tx(struct work_struct *work);
void srxe_req_drain_rx(struct work_struct *work);

#endif /* SRXE_REQ_H */
