/* SPDX-License-Identifier: GPL-2.0 */
/* srxe_traffic: verbs traffic compared end to end by content. */
#ifndef SRXE_TRAFFIC_H
#define SRXE_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <infiniband/verbs.h>

#define MAX_SIZES	64
#define MAX_MTUS	8
#define MAX_DEPTH	32
#define KEPT_REQS	64
#define REASON_LEN	256
#define LINE_LEN	1024
/* Unwritten bytes kept on both sides of every message; a stray packet shows there. */
#define GUARD		256
/* Messages start at a pseudo-random offset below this in their slot. */
#define SKEW		64
/* A received datagram stands behind that much. */
#define GRH_LEN		40
#define UD_QKEY		0x5e0b1e55

enum op {
	OP_SEND, OP_SEND_IMM, OP_SEND_INV, OP_WRITE, OP_WRITE_IMM, OP_READ,
	OP_CAS, OP_FADD, OP_ATOMIC_WRITE, OP_FLUSH, OP_COUNT,
};

enum direction { DIR_C2S = 1, DIR_S2C = 2, DIR_BOTH = 3 };

/* Completion classes, in the top byte of wr_id. */
enum wr_class { WR_REQ = 1, WR_RECV = 2, WR_LOCAL = 3 };

#define PRINTF(f, a)	__attribute__((format(printf, f, a)))
#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define BIT_OF(n)	((uint64_t)1 << (n))

/* Flags and bits rdma-core 44 has no names for; the kernel takes them as they are. */
#define ACCESS_FLUSH_GLOBAL	BIT_OF(8)
#define DEVICE_FLUSH_GLOBAL	BIT_OF(38)
#define DEVICE_ATOMIC_WRITE	BIT_OF(40)

#define WR_ID(class, n)	(((uint64_t)(class) << 56) | (n))
#define WR_CLASS(id)	((enum wr_class)((id) >> 56))
#define WR_INDEX(id)	((uint32_t)(id))

struct opts {
	const char *dev;
	const char *addr;		/* local address that picks the GID */
	const char *server;		/* NULL: we are the server */
	const char *control;		/* UNIX socket for --hold */
	int port;
	int gid_index;			/* -1: by address */
	enum ibv_qp_type qp_type;
	uint32_t ops;			/* bit per enum op */
	const char *sizes;
	const char *mtus;
	int iters;
	int depth;
	int psn;			/* -1: random */
	uint64_t seed;
	int dirs;
	int timeout_s;			/* deadline of each wait */
	int grace_ms;			/* lossy UC, UD: silence that ends a batch */
	int qp_timeout;			/* ibv_qp_attr.timeout */
	int retry_cnt;
	int rnr_retry;
	bool loss;			/* UC, UD: lost messages are no failure */
	bool reconnect;			/* a new QP for every case */
	bool json;
	bool hold;
	bool expect;
	int expect_status;
	long expect_vendor;		/* -1: any */
	uint32_t rkey_xor;		/* --expect-error: spoil the rkey */
	int64_t va_add;			/* --expect-error: move the address */
	int recvs;			/* --hold: receives posted */
	const char *at_end;		/* command before a connection is taken down */
};

/* What one end tells the other about itself. */
struct peer {
	uint32_t qpn, psn, rkey;
	uint64_t va;
	union ibv_gid gid;
};

/* A datagram's destination. */
struct ud_target {
	union ibv_gid gid;
	uint32_t qpn, qkey;
};

struct endpoint {
	const struct opts *o;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *chan;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct ibv_mr *mr;
	struct ibv_mw *mw[MAX_DEPTH];
	uint8_t *mem;
	size_t mem_len;
	size_t stride;
	int depth;
	uint64_t dev_caps;
	uint8_t gid_index;
	union ibv_gid gid;
	enum ibv_mtu active_mtu;
	uint32_t psn;
	struct peer remote;
	struct ibv_ah *ah;		/* UD: where requests go */
	struct ud_target to;
	int epfd;
	struct oob *oob;
	/* completions, oldest first, until the case takes them */
	struct ibv_wc *recvs;
	unsigned int recv_head, recv_tail, recv_cap;
	unsigned int done[4];		/* by enum wr_class, since ep_reset_counts() */
	unsigned int errors;
	struct ibv_wc first_error;
	struct ibv_wc last_req;
	/* requests' completions, the last KEPT_REQS of them */
	struct ibv_wc reqs[KEPT_REQS];
	unsigned int req_count;
};

/* opts.c */
int opts_parse(struct opts *o, int argc, char **argv);
int opts_sizes(const char *text, uint32_t mtu, uint32_t *out, int max);
int opts_mtus(const char *text, uint32_t *out, int max);

/* names.c */
const char *qp_name(enum ibv_qp_type type);
int qp_by_name(const char *name);
const char *op_name(enum op op);
int op_by_name(const char *name);
const char *wc_status_name(int status);
int wc_status_by_name(const char *name);
const char *vendor_name(uint32_t vendor);
long vendor_by_name(const char *name);
const char *qp_state_name(enum ibv_qp_state state);
char *wc_text(const struct ibv_wc *wc, char *buf, size_t len);
void json_string(FILE *f, const char *text);

/* device.c */
int dev_gid(const char *addr, union ibv_gid *gid);
int dev_open(struct endpoint *ep, const char *addr, char *reason);
int dev_memory(struct endpoint *ep, size_t len, char *reason);
void dev_close(struct endpoint *ep);

/* qp.c */
int qp_create(struct endpoint *ep, unsigned int recvs, char *reason);
int qp_connect(struct endpoint *ep, uint32_t mtu, char *reason);
int qp_reset(struct endpoint *ep);
int qp_up(struct endpoint *ep, uint32_t mtu);
void qp_destroy(struct endpoint *ep);
bool qp_can(const struct endpoint *ep, enum op op);

/* ud.c */
bool is_ud(const struct endpoint *ep);
uint32_t ud_grh_len(const struct endpoint *ep);
int ud_aim(struct endpoint *ep, const struct ud_target *to);
void ud_lower(struct endpoint *ep);
int ud_check(const struct endpoint *ep, struct ibv_wc *wc, const uint8_t *grh, char *reason);

/* events.c */
int64_t now_ms(void);
int ep_poll(struct endpoint *ep);
int ep_wait(struct endpoint *ep, enum wr_class class, unsigned int count, int ms, char *reason);
bool ep_take_recv(struct endpoint *ep, struct ibv_wc *wc);
void ep_reset_counts(struct endpoint *ep);

/* oob.c */
struct oob;
struct oob *oob_listen(int port, char *reason);
struct oob *oob_connect(const char *host, int port, int timeout_s, char *reason);
int oob_fd(const struct oob *c);
const char *oob_local_addr(const struct oob *c);
int oob_send(struct oob *c, const char *fmt, ...) PRINTF(2, 3);
int oob_recv(struct oob *c, char *line, size_t len, int ms, char *reason);
int oob_peek(struct oob *c);
void oob_close(struct oob *c);

/* pattern.c */
uint64_t pattern_key(uint64_t seed, uint32_t a, uint32_t b, uint32_t c);
uint64_t pattern_word(uint64_t key, uint64_t n);
void pattern_fill(uint8_t *p, size_t len, uint64_t key);
int pattern_diff(const uint8_t *p, size_t len, uint64_t key, size_t *at);
uint64_t pattern_sum(const uint8_t *p, size_t len);

/* post.c */
struct req {
	enum op op;
	uint32_t len;
	void *local;
	uint64_t remote;
	uint32_t rkey;
	uint32_t imm_or_inv;
	uint64_t compare, swap;
	uint64_t wr_id;
};

int post_req(struct endpoint *ep, const struct req *r);
int post_recv(struct endpoint *ep, void *p, uint32_t len, uint32_t index);
int post_bind(struct endpoint *ep, struct ibv_mw *mw, void *p, uint32_t len, uint32_t rkey,
	      uint32_t index);

/* slot.c: one message with its surroundings */
struct slot_id {
	uint32_t number;		/* of the case within the run */
	uint32_t iter;
	enum op op;
	uint32_t size;
};

uint8_t *slot_base(const struct endpoint *ep, int half, int slot);
uint32_t slot_skew(const struct endpoint *ep, const struct slot_id *id);
uint8_t *slot_data(const struct endpoint *ep, int half, int slot, const struct slot_id *id);
uint64_t slot_remote(const struct endpoint *ep, int slot, const struct slot_id *id);
void slot_background(struct endpoint *ep, int half, int slot, const struct slot_id *id);
void slot_restore(struct endpoint *ep, int half, int slot, const struct slot_id *id, size_t from,
		  size_t len);
void slot_message(struct endpoint *ep, int half, int slot, const struct slot_id *id);
int slot_check(struct endpoint *ep, int half, int slot, const struct slot_id *bg,
	       const struct slot_id *msg, uint32_t len, char *reason);
int slot_check_value(struct endpoint *ep, int half, int slot, const struct slot_id *id,
		     uint64_t value, char *reason);
int slot_check_chunks(struct endpoint *ep, int slot, const struct slot_id *id, uint32_t mtu,
		      bool *whole, char *reason);

/* case.c, request.c, respond.c: a case and its two sides */
struct test_case {
	enum op op;
	uint32_t number, size, mtu, iters;
	enum direction dir;
	unsigned int lost, doubled;
};

int case_run(struct endpoint *ep, struct test_case *tc, bool client, char *reason);
int case_request(struct endpoint *ep, struct test_case *tc, char *reason);
int case_respond(struct endpoint *ep, struct test_case *tc, char *reason);
unsigned int case_batch(const struct endpoint *ep, const struct test_case *tc, uint32_t first);
struct slot_id case_id(const struct test_case *tc, uint32_t iter);
bool case_takes_recv(const struct test_case *tc);
bool case_fenced(const struct endpoint *ep, const struct test_case *tc);
void case_atomic(const struct endpoint *ep, const struct slot_id *id, uint64_t *before,
		 uint64_t *compare, uint64_t *swap, uint64_t *after);
int case_word(struct endpoint *ep, const char *word, char *line, int ms, char *reason);

/* hold.c */
int hold_run(struct endpoint *ep, uint32_t mtu);

/* ctl.c */
int ctl_main(const char *path, int argc, char **argv);

#endif
