// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What protects a queue pair, as "rdma resource show qp -dd" shows it. Everybody
 * may ask for that, so there is nothing in it but names and numbers that stand on
 * the wire anyway, or are those of the program itself.
 */
#include <linux/rcupdate.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "rxe.h"
#include "srxe_conn.h"
#include "srxe_res.h"
#include "srxe_sa.h"
#include "srxe_suite.h"
#include "srxe_text.h"

/* An id in hexadecimal. */
#define ID_TEXT		(2 * SRXE_KEY_ID_LEN + 1)

static_assert(SRXE_SA_ID_LEN == SRXE_KEY_ID_LEN);

/*
 * The queue pair may be going this very moment: the core waits for us with the
 * object itself, after the driver has destroyed what hangs there.
 */
static struct srxe_sa *sa_of(const struct rxe_qp *qp)
{
	struct srxe_sa *sa = NULL;
	struct srxe_conn *conn;

	rcu_read_lock();
	conn = READ_ONCE(qp->sec.conn);
	if (conn)
		sa = rcu_dereference(conn->tx_sa);
	if (sa && !srxe_sa_tryget(sa))
		sa = NULL;
	rcu_read_unlock();
	return sa;
}

static const char *mode_name(u8 mode)
{
	switch (mode) {
	case SRXE_MODE_HEADER:
		return "header";
	case SRXE_MODE_PACKET:
		return "packet";
	case SRXE_MODE_ENCRYPT:
		return "encrypt";
	default:
		return "conceal";
	}
}

static int put_id(struct sk_buff *msg, const char *name, const u8 *id)
{
	char text[ID_TEXT];

	snprintf(text, sizeof(text), "%*phN", SRXE_KEY_ID_LEN, id);
	return rdma_nl_put_driver_string(msg, name, text);
}

static int put_peer(struct sk_buff *msg, const struct in6_addr *peer)
{
	char text[SRXE_ADDR_TEXT];

	srxe_addr_text(peer, text);
	return rdma_nl_put_driver_string(msg, "peer", text);
}

static int put_sa(struct sk_buff *msg, const struct srxe_sa_info *sa)
{
	return rdma_nl_put_driver_string(msg, "mode", mode_name(sa->mode)) ?:
	       rdma_nl_put_driver_string(msg, "suite", srxe_suite_by_id(sa->suite)->name) ?:
	       rdma_nl_put_driver_string(msg, "crypto_driver", sa->driver) ?:
	       rdma_nl_put_driver_u64(msg, "tx_epoch", sa->tx_epoch) ?:
	       rdma_nl_put_driver_u64(msg, "rx_epoch", sa->rx_epoch) ?:
	       put_peer(msg, &sa->ends.rgid) ?:
	       put_id(msg, "key_id", sa->key_id) ?:
	       put_id(msg, "sa_id", sa->sa_id);
}

/**
 * srxe_fill_res_qp_entry() - add to a queue pair's description what protects it
 * @msg: description
 * @ibqp: queue pair, kept from being freed, but it may have been destroyed
 *
 * Nothing is added for a queue pair that sends under no SA, or under several:
 * those of datagrams are in "srxe sa show".
 *
 * Context: process, no lock held.
 * Return: 0 or -EMSGSIZE.
 */
int srxe_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct srxe_sa *sa = sa_of(to_rqp(ibqp));
	struct srxe_sa_info info;
	struct nlattr *table;

	if (!sa)
		return 0;
	srxe_sa_info(sa, &info);
	srxe_sa_put(sa);

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	if (!table)
		return -EMSGSIZE;
	if (put_sa(msg, &info)) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}
