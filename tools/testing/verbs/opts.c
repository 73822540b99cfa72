// SPDX-License-Identifier: GPL-2.0
/* Command line. */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "traffic.h"

static const char usage[] =
"Usage: srxe_traffic [options]             server: one client, then exit\n"
"       srxe_traffic [options] SERVER      client\n"
"       srxe_traffic ctl SOCKET COMMAND    a command to a --hold end\n"
"\n"
"Sends pseudo-random messages over an RC or UC connection, or as datagrams, and compares,\n"
"at the receiving end, every byte of them and the bytes around them. What is tested is the\n"
"client's choice; the server needs --dev or --addr at most.\n"
"\n"
"  --dev NAME            RDMA device (default: the one with the local address's GID)\n"
"  --addr IP             local address (default: that of the TCP side channel)\n"
"  --gid-index N         GID (default: first RoCE v2 GID of the address)\n"
"  --port N              TCP port of the side channel (18515)\n"
"  --qp rc|uc|ud         connection, or datagrams (rc)\n"
"  --op LIST|all         send,send_imm,send_inv,write,write_imm,read,cas,fadd,\n"
"                        atomic_write,flush; UC knows the sends and writes without _inv,\n"
"                        UD send and send_imm\n"
"  --size LIST           bytes; `edges' stands for 0, 1, 3 and the sizes round 1, 2 and\n"
"                        3 MTUs (edges); a datagram holds an MTU at most\n"
"  --mtu LIST            path MTUs; a connection each (the port's)\n"
"  --iters N             messages a case (8)\n"
"  --depth N             messages outstanding, at most 32 (8)\n"
"  --dir c2s|s2c|both    who is the requester (both)\n"
"  --psn N               start PSN of both ends (random)\n"
"  --seed N              of the data (1)\n"
"  --loss                UC, UD: messages may be lost, but what arrives must be right\n"
"  --grace MS            with --loss, the silence that ends a batch (300)\n"
"  --reconnect           a new connection for every case\n"
"  --at-end COMMAND      run by the shell when all went well, while both ends of a\n"
"                        connection are still there\n"
"  --timeout S           deadline of every wait (30)\n"
"  --qp-timeout N        local ACK timeout, 4.096 us * 2^N (16)\n"
"  --retry N, --rnr N    retry counts (7, 7)\n"
"  --expect-error STATUS[:VENDOR]\n"
"                        post one request of the first --op and --size, and succeed only\n"
"                        if it completes so (names or numbers)\n"
"  --rkey-xor N          with it: spoil the rkey; --va-add N: move the remote address\n"
"  --hold                no test: connect, print our half as JSON, take commands\n"
"  --control PATH        with --hold: from this UNIX socket instead of stdin\n"
"  --recvs N             with --hold: receives posted, of the first --size each (16)\n"
"  -j, --json            results as JSON\n"
"\n"
"--hold commands: info, state, sum, recv-count, recv N, dump tx|rx|recv OFF LEN,\n"
"put tx|rx|recv OFF HEX, fill tx|rx SEED, post OP [LEN [OFF [COUNT]]], wait COUNT MS, OP [LEN [OFF [COUNT]]],\n"
"reqs, reset, up, quit; of a UD end also to [IP [QPN [QKEY]]], join GROUP, leave GROUP.\n"
"Each is answered by one line of JSON; reqs lists the completions of requests since it\n"
"was last asked; to says where datagrams go from then on, without an IP to the peer again.\n"
"\n"
"Exit status: 0 all ok, 1 some failed, 2 could not start.\n";

enum {
	O_DEV = 256, O_ADDR, O_GID, O_PORT, O_QP, O_OP, O_SIZE, O_MTU, O_ITERS, O_DEPTH, O_DIR,
	O_PSN, O_SEED, O_LOSS, O_GRACE, O_RECONNECT, O_TIMEOUT, O_QP_TIMEOUT, O_RETRY, O_RNR,
	O_EXPECT, O_RKEY_XOR, O_VA_ADD, O_HOLD, O_CONTROL, O_RECVS,
	O_AT_END,
};

static const struct option longs[] = {
	{ "dev", 1, NULL, O_DEV }, { "addr", 1, NULL, O_ADDR }, { "gid-index", 1, NULL, O_GID },
	{ "port", 1, NULL, O_PORT }, { "qp", 1, NULL, O_QP }, { "op", 1, NULL, O_OP },
	{ "size", 1, NULL, O_SIZE }, { "mtu", 1, NULL, O_MTU }, { "iters", 1, NULL, O_ITERS },
	{ "depth", 1, NULL, O_DEPTH }, { "dir", 1, NULL, O_DIR }, { "psn", 1, NULL, O_PSN },
	{ "seed", 1, NULL, O_SEED }, { "loss", 0, NULL, O_LOSS }, { "grace", 1, NULL, O_GRACE },
	{ "reconnect", 0, NULL, O_RECONNECT }, { "timeout", 1, NULL, O_TIMEOUT },
	{ "qp-timeout", 1, NULL, O_QP_TIMEOUT }, { "retry", 1, NULL, O_RETRY },
	{ "rnr", 1, NULL, O_RNR }, { "expect-error", 1, NULL, O_EXPECT },
	{ "rkey-xor", 1, NULL, O_RKEY_XOR }, { "va-add", 1, NULL, O_VA_ADD },
	{ "hold", 0, NULL, O_HOLD }, { "control", 1, NULL, O_CONTROL },
	{ "recvs", 1, NULL, O_RECVS }, { "at-end", 1, NULL, O_AT_END },
	{ "json", 0, NULL, 'j' }, { "help", 0, NULL, 'h' },
	{ }
};

static int bad(const char *what, const char *text)
{
	fprintf(stderr, "srxe_traffic: %s: %s\n", what, text);
	return -1;
}

static int number(const char *text, long long min, long long max, long long *out)
{
	char *end;

	*out = strtoll(text, &end, 0);
	if (*text && !*end && *out >= min && *out <= max)
		return 0;
	return bad("not in range", text);
}

static int parse_ops(const char *text, uint32_t *ops)
{
	char copy[256], *save, *word;
	int op;

	*ops = 0;
	if (!strcmp(text, "all")) {
		*ops = (1u << OP_COUNT) - 1;
		return 0;
	}
	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		op = op_by_name(word);
		if (op < 0)
			return bad("unknown --op", word);
		*ops |= 1u << op;
	}
	return *ops ? 0 : bad("empty --op", text);
}

static int parse_expect(struct opts *o, const char *text)
{
	char copy[128], *vendor;

	snprintf(copy, sizeof(copy), "%s", text);
	vendor = strchr(copy, ':');
	if (vendor) {
		*vendor++ = 0;
		o->expect_vendor = vendor_by_name(vendor);
		if (o->expect_vendor < 0)
			return bad("unknown vendor error", vendor);
	}
	o->expect_status = wc_status_by_name(copy);
	o->expect = true;
	return o->expect_status < 0 ? bad("unknown completion status", copy) : 0;
}

static int parse_word(struct opts *o, int c, const char *arg)
{
	if (c == O_QP && qp_by_name(arg) >= 0)
		o->qp_type = qp_by_name(arg);
	else if (c == O_DIR && !strcmp(arg, "c2s"))
		o->dirs = DIR_C2S;
	else if (c == O_DIR && !strcmp(arg, "s2c"))
		o->dirs = DIR_S2C;
	else if (c == O_DIR && !strcmp(arg, "both"))
		o->dirs = DIR_BOTH;
	else
		return bad(c == O_QP ? "--qp" : "--dir", arg);
	return 0;
}

static int parse_int(struct opts *o, int c, const char *arg)
{
	const struct {
		int c;
		int *to;
		int min, max;
	} tab[] = {
		{ O_GID, &o->gid_index, 0, 65535 }, { O_PORT, &o->port, 1, 65535 },
		{ O_ITERS, &o->iters, 1, 100000000 }, { O_DEPTH, &o->depth, 1, MAX_DEPTH },
		{ O_PSN, &o->psn, 0, 0xffffff }, { O_GRACE, &o->grace_ms, 1, 60000 },
		{ O_TIMEOUT, &o->timeout_s, 1, 3600 }, { O_QP_TIMEOUT, &o->qp_timeout, 0, 31 },
		{ O_RETRY, &o->retry_cnt, 0, 7 }, { O_RNR, &o->rnr_retry, 0, 7 },
		{ O_RECVS, &o->recvs, 0, 512 },
	};
	long long v;

	for (size_t i = 0; i < COUNT(tab); i++) {
		if (tab[i].c != c)
			continue;
		if (number(arg, tab[i].min, tab[i].max, &v))
			return -1;
		*tab[i].to = (int)v;
		return 0;
	}
	return -1;
}

/* Options that take any text, or none. */
static bool parse_plain(struct opts *o, int c, const char *arg)
{
	const struct {
		int c;
		const char **to;
	} texts[] = {
		{ O_DEV, &o->dev }, { O_ADDR, &o->addr }, { O_SIZE, &o->sizes },
		{ O_MTU, &o->mtus }, { O_CONTROL, &o->control }, { O_AT_END, &o->at_end },
	};
	const struct {
		int c;
		bool *to;
	} flags[] = {
		{ O_LOSS, &o->loss }, { O_RECONNECT, &o->reconnect }, { O_HOLD, &o->hold },
		{ 'j', &o->json },
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		if (texts[i].c == c) {
			*texts[i].to = arg;
			return true;
		}
	}
	for (size_t i = 0; i < COUNT(flags); i++) {
		if (flags[i].c == c) {
			*flags[i].to = true;
			return true;
		}
	}
	return false;
}

static int parse_long(struct opts *o, int c, const char *arg)
{
	long long v;

	if (number(arg, LLONG_MIN, LLONG_MAX, &v))
		return -1;
	if (c == O_SEED)
		o->seed = v;
	else if (c == O_RKEY_XOR)
		o->rkey_xor = (uint32_t)v;
	else
		o->va_add = v;
	return 0;
}

static int parse_one(struct opts *o, int c, const char *arg)
{
	if (parse_plain(o, c, arg))
		return 0;
	if (c == O_OP)
		return parse_ops(arg, &o->ops);
	if (c == O_EXPECT)
		return parse_expect(o, arg);
	if (c == O_QP || c == O_DIR)
		return parse_word(o, c, arg);
	if (c == O_SEED || c == O_RKEY_XOR || c == O_VA_ADD)
		return parse_long(o, c, arg);
	return parse_int(o, c, arg);
}

int opts_parse(struct opts *o, int argc, char **argv)
{
	uint32_t list[MAX_SIZES];
	int c;

	*o = (struct opts) {
		.port = 18515, .gid_index = -1, .qp_type = IBV_QPT_RC,
		.ops = (1u << OP_COUNT) - 1, .sizes = "edges", .iters = 8, .depth = 8,
		.psn = -1, .seed = 1, .dirs = DIR_BOTH, .timeout_s = 30, .grace_ms = 300,
		.qp_timeout = 16, .retry_cnt = 7, .rnr_retry = 7, .expect_vendor = -1,
		.recvs = 16,
	};
	while ((c = getopt_long(argc, argv, "jh", longs, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			return 1;
		}
		if (c == '?' || parse_one(o, c, optarg)) {
			fputs("Try srxe_traffic --help.\n", stderr);
			return -1;
		}
	}
	if (optind < argc)
		o->server = argv[optind++];
	if (optind < argc)
		return bad("too many arguments", argv[optind]);
	if (o->loss && o->qp_type == IBV_QPT_RC)
		return bad("--loss", "RC may not lose messages");
	if (opts_sizes(o->sizes, 1024, list, MAX_SIZES) < 1)
		return bad("--size", o->sizes);
	if (o->mtus && opts_mtus(o->mtus, list, MAX_MTUS) < 1)
		return bad("--mtu", o->mtus);
	return 0;
}

static int add_edges(uint32_t mtu, uint32_t *out, int n, int max)
{
	const uint32_t edges[] = {
		0, 1, 3, mtu - 1, mtu, mtu + 1, 2 * mtu - 1, 2 * mtu, 2 * mtu + 1, 3 * mtu + 2,
	};

	for (size_t i = 0; i < COUNT(edges) && n < max; i++)
		out[n++] = edges[i];
	return n;
}

/* The number of sizes, or -1. */
int opts_sizes(const char *text, uint32_t mtu, uint32_t *out, int max)
{
	char copy[512], *save, *word;
	long long v;
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (n >= max)
			return -1;
		if (!strcmp(word, "edges")) {
			n = add_edges(mtu, out, n, max);
			continue;
		}
		if (number(word, 0, 16 << 20, &v))
			return -1;
		out[n++] = (uint32_t)v;
	}
	return n;
}

int opts_mtus(const char *text, uint32_t *out, int max)
{
	char copy[128], *save, *word;
	long long v;
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (n >= max || number(word, 256, 4096, &v) || (v & (v - 1)))
			return -1;
		out[n++] = (uint32_t)v;
	}
	return n;
}
