// SPDX-License-Identifier: GPL-2.0
/* Completions by event: epoll on the channel, deadlines, no spinning. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include "traffic.h"

int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

void ep_reset_counts(struct endpoint *ep)
{
	memset(ep->done, 0, sizeof(ep->done));
	ep->errors = 0;
	ep->recv_head = 0;
	ep->recv_tail = 0;
}

static void account(struct endpoint *ep, const struct ibv_wc *wc)
{
	enum wr_class class = WR_CLASS(wc->wr_id);

	ep->done[class]++;
	if (wc->status != IBV_WC_SUCCESS && !ep->errors++)
		ep->first_error = *wc;
	if (class == WR_REQ) {
		ep->last_req = *wc;
		ep->reqs[ep->req_count++ % KEPT_REQS] = *wc;
	}
	if (class == WR_RECV)
		ep->recvs[ep->recv_tail++ % ep->recv_cap] = *wc;
}

/* Take what the CQ holds; the number of completions, or negative. */
int ep_poll(struct endpoint *ep)
{
	struct ibv_wc wc[16];
	int n, total = 0;

	while ((n = ibv_poll_cq(ep->cq, 16, wc)) > 0) {
		for (int i = 0; i < n; i++)
			account(ep, &wc[i]);
		total += n;
	}
	return n < 0 ? n : total;
}

bool ep_take_recv(struct endpoint *ep, struct ibv_wc *wc)
{
	if (ep->recv_head == ep->recv_tail)
		return false;
	*wc = ep->recvs[ep->recv_head++ % ep->recv_cap];
	return true;
}

static void drain_channel(struct endpoint *ep)
{
	struct ibv_cq *cq;
	void *arg;
	int n = 0;

	while (!ibv_get_cq_event(ep->chan, &cq, &arg))
		n++;
	if (n)
		ibv_ack_cq_events(ep->cq, n);
	ibv_req_notify_cq(ep->cq, 0);
}

static void drain_async(struct endpoint *ep)
{
	struct ibv_async_event ev;

	while (!ibv_get_async_event(ep->ctx, &ev)) {
		fprintf(stderr, "event: %s\n", ibv_event_type_str(ev.event_type));
		ibv_ack_async_event(&ev);
	}
}

static void mute_oob(struct endpoint *ep, bool mute)
{
	struct epoll_event ev = { .events = mute ? 0 : EPOLLIN, .data.fd = oob_fd(ep->oob) };

	epoll_ctl(ep->epfd, EPOLL_CTL_MOD, oob_fd(ep->oob), &ev);
}

/* The peer's next line is for later; its going away ends the wait. */
static int look_at_peer(struct endpoint *ep, char *reason)
{
	int err = oob_peek(ep->oob);

	mute_oob(ep, true);
	if (err)
		snprintf(reason, REASON_LEN, "the peer closed the side channel");
	return err;
}

static int handle(struct endpoint *ep, int fd, char *reason)
{
	if (fd == ep->chan->fd)
		drain_channel(ep);
	else if (fd == ep->ctx->async_fd)
		drain_async(ep);
	else
		return look_at_peer(ep, reason);
	return 0;
}

static int failed_wc(struct endpoint *ep, char *reason)
{
	char text[128];

	snprintf(reason, REASON_LEN, "completion error: %s",
		 wc_text(&ep->first_error, text, sizeof(text)));
	return -EIO;
}

static int wait_round(struct endpoint *ep, int left, char *reason)
{
	struct epoll_event ev[4];
	int n = epoll_wait(ep->epfd, ev, 4, left), err = 0;

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n && !err; i++)
		err = handle(ep, ev[i].data.fd, reason);
	return err;
}

/*
 * Wait until @count completions of @class are in since the last reset. A completion
 * error ends it at once (-EIO), as do the peer's end (-EPIPE) and the deadline
 * (-ETIMEDOUT).
 */
int ep_wait(struct endpoint *ep, enum wr_class class, unsigned int count, int ms, char *reason)
{
	static const char * const names[] = { "", "request", "receive", "local" };
	int64_t deadline = now_ms() + ms, left;
	int err;

	mute_oob(ep, false);
	for (;;) {
		if (ep_poll(ep) < 0) {
			snprintf(reason, REASON_LEN, "poll of the CQ failed");
			return -EIO;
		}
		if (ep->errors)
			return failed_wc(ep, reason);
		if (ep->done[class] >= count)
			return 0;
		left = deadline - now_ms();
		if (left <= 0)
			break;
		err = wait_round(ep, (int)left, reason);
		if (err)
			return err;
	}
	snprintf(reason, REASON_LEN, "%u of %u %s completions within %d ms", ep->done[class],
		 count, names[class], ms);
	return -ETIMEDOUT;
}
