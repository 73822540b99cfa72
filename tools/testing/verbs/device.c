// SPDX-License-Identifier: GPL-2.0
/* The device, its GID, and what a connection needs besides the QP. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "traffic.h"

/* An IP address as a GID. */
int dev_gid(const char *addr, union ibv_gid *gid)
{
	struct in_addr v4;

	memset(gid, 0, sizeof(*gid));
	if (inet_pton(AF_INET, addr, &v4) == 1) {
		gid->raw[10] = 0xff;
		gid->raw[11] = 0xff;
		memcpy(gid->raw + 12, &v4, 4);
		return 0;
	}
	return inet_pton(AF_INET6, addr, gid->raw) == 1 ? 0 : -EINVAL;
}

/* The first RoCE v2 GID equal to @want, or -1. */
static int find_gid(struct ibv_context *ctx, const union ibv_gid *want)
{
	struct ibv_port_attr port;
	struct ibv_gid_entry e;

	if (ibv_query_port(ctx, 1, &port))
		return -1;
	for (int i = 0; i < port.gid_tbl_len; i++)
		if (!ibv_query_gid_ex(ctx, 1, i, &e, 0) && e.gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !memcmp(&e.gid, want, sizeof(*want)))
			return i;
	return -1;
}

static bool usable(struct endpoint *ep, const union ibv_gid *want)
{
	int index = ep->o->gid_index >= 0 ? ep->o->gid_index : find_gid(ep->ctx, want);

	if (index < 0 || ibv_query_gid(ep->ctx, 1, index, &ep->gid))
		return false;
	ep->gid_index = index;
	return true;
}

static int open_device(struct endpoint *ep, const char *addr, char *reason)
{
	struct ibv_device **list;
	union ibv_gid want;
	int n = 0;

	if (dev_gid(addr, &want)) {
		snprintf(reason, REASON_LEN, "%s is no IP address", addr);
		return -EINVAL;
	}
	list = ibv_get_device_list(&n);
	for (int i = 0; list && i < n; i++) {
		if (ep->o->dev && strcmp(ep->o->dev, ibv_get_device_name(list[i])))
			continue;
		ep->ctx = ibv_open_device(list[i]);
		if (ep->ctx && usable(ep, &want))
			break;
		if (ep->ctx)
			ibv_close_device(ep->ctx);
		ep->ctx = NULL;
	}
	if (list)
		ibv_free_device_list(list);
	if (ep->ctx)
		return 0;
	snprintf(reason, REASON_LEN, "no RDMA device (%s) that has a RoCE v2 GID for %s",
		 ep->o->dev ? ep->o->dev : "any", addr);
	return -ENODEV;
}

static int watch(struct endpoint *ep, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(ep->epfd, EPOLL_CTL_ADD, fd, &ev);
}

static int open_queues(struct endpoint *ep)
{
	ep->pd = ibv_alloc_pd(ep->ctx);
	ep->chan = ibv_create_comp_channel(ep->ctx);
	ep->epfd = epoll_create1(0);
	if (!ep->pd || !ep->chan || ep->epfd < 0)
		return -1;
	ep->cq = ibv_create_cq(ep->ctx, 1024, NULL, ep->chan, 0);
	ep->recv_cap = 1024;
	ep->recvs = calloc(ep->recv_cap, sizeof(*ep->recvs));
	if (!ep->cq || !ep->recvs)
		return -1;
	fcntl(ep->chan->fd, F_SETFL, fcntl(ep->chan->fd, F_GETFL) | O_NONBLOCK);
	fcntl(ep->ctx->async_fd, F_SETFL, fcntl(ep->ctx->async_fd, F_GETFL) | O_NONBLOCK);
	return ibv_req_notify_cq(ep->cq, 0) || watch(ep, ep->chan->fd) ||
	       watch(ep, ep->ctx->async_fd) || watch(ep, oob_fd(ep->oob));
}

int dev_open(struct endpoint *ep, const char *addr, char *reason)
{
	struct ibv_device_attr_ex attr = {};
	struct ibv_port_attr port;
	int err = open_device(ep, addr, reason);

	if (err)
		return err;
	if (ibv_query_device_ex(ep->ctx, NULL, &attr) || ibv_query_port(ep->ctx, 1, &port) ||
	    open_queues(ep)) {
		snprintf(reason, REASON_LEN, "%s: %s", ibv_get_device_name(ep->ctx->device),
			 strerror(errno));
		return -EIO;
	}
	ep->dev_caps = attr.device_cap_flags_ex | attr.orig_attr.device_cap_flags;
	ep->active_mtu = port.active_mtu;
	if (port.state == IBV_PORT_ACTIVE)
		return 0;
	snprintf(reason, REASON_LEN, "%s: port is not active",
		 ibv_get_device_name(ep->ctx->device));
	return -ENETDOWN;
}

int dev_memory(struct endpoint *ep, size_t len, char *reason)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND;

	if (ep->dev_caps & DEVICE_FLUSH_GLOBAL)
		access |= ACCESS_FLUSH_GLOBAL;
	ep->mem_len = (len + 4095) & ~4095ull;
	ep->mem = aligned_alloc(4096, ep->mem_len);
	if (!ep->mem) {
		snprintf(reason, REASON_LEN, "no memory for %zu bytes", len);
		return -ENOMEM;
	}
	memset(ep->mem, 0, ep->mem_len);
	ep->mr = ibv_reg_mr_iova2(ep->pd, ep->mem, ep->mem_len, (uintptr_t)ep->mem, access);
	if (!ep->mr) {
		snprintf(reason, REASON_LEN, "register %zu bytes: %s", ep->mem_len,
			 strerror(errno));
		return -errno;
	}
	for (int i = 0; i < ep->depth; i++)
		ep->mw[i] = ibv_alloc_mw(ep->pd, IBV_MW_TYPE_2);
	return 0;
}

void dev_close(struct endpoint *ep)
{
	qp_destroy(ep);
	for (int i = 0; i < MAX_DEPTH; i++)
		if (ep->mw[i])
			ibv_dealloc_mw(ep->mw[i]);
	if (ep->mr)
		ibv_dereg_mr(ep->mr);
	if (ep->cq)
		ibv_destroy_cq(ep->cq);
	if (ep->chan)
		ibv_destroy_comp_channel(ep->chan);
	if (ep->pd)
		ibv_dealloc_pd(ep->pd);
	if (ep->ctx)
		ibv_close_device(ep->ctx);
	if (ep->epfd > 0)
		close(ep->epfd);
	free(ep->recvs);
	free(ep->mem);
}
