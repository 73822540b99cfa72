// SPDX-License-Identifier: GPL-2.0
/* Names of operations, states and errors, and JSON strings. */
#include <stdlib.h>
#include <string.h>
#include "traffic.h"
#ifdef HAVE_SRXE_WIRE_H
#include <rdma/srxe_wire.h>
#endif

struct name {
	long value;
	const char *name;
};

static const char * const op_names[OP_COUNT] = {
	[OP_SEND] = "send",
	[OP_SEND_IMM] = "send_imm",
	[OP_SEND_INV] = "send_inv",
	[OP_WRITE] = "write",
	[OP_WRITE_IMM] = "write_imm",
	[OP_READ] = "read",
	[OP_CAS] = "cas",
	[OP_FADD] = "fadd",
	[OP_ATOMIC_WRITE] = "atomic_write",
	[OP_FLUSH] = "flush",
};

static const struct name services[] = {
	{ IBV_QPT_RC, "rc" }, { IBV_QPT_UC, "uc" }, { IBV_QPT_UD, "ud" },
};

static const struct name statuses[] = {
	{ IBV_WC_SUCCESS, "success" },
	{ IBV_WC_LOC_LEN_ERR, "loc-len" },
	{ IBV_WC_LOC_QP_OP_ERR, "loc-qp-op" },
	{ IBV_WC_LOC_PROT_ERR, "loc-prot" },
	{ IBV_WC_WR_FLUSH_ERR, "wr-flush" },
	{ IBV_WC_MW_BIND_ERR, "mw-bind" },
	{ IBV_WC_BAD_RESP_ERR, "bad-resp" },
	{ IBV_WC_LOC_ACCESS_ERR, "loc-access" },
	{ IBV_WC_REM_INV_REQ_ERR, "rem-inv-req" },
	{ IBV_WC_REM_ACCESS_ERR, "rem-access" },
	{ IBV_WC_REM_OP_ERR, "rem-op" },
	{ IBV_WC_RETRY_EXC_ERR, "retry-exceeded" },
	{ IBV_WC_RNR_RETRY_EXC_ERR, "rnr-retry-exceeded" },
	{ IBV_WC_REM_ABORT_ERR, "rem-abort" },
	{ IBV_WC_FATAL_ERR, "fatal" },
	{ IBV_WC_RESP_TIMEOUT_ERR, "resp-timeout" },
	{ IBV_WC_GENERAL_ERR, "general" },
};

/* VENDOR_NAMES is made by the Makefile from enum srxe_vendor_err. */
static const struct name vendors[] = {
#ifdef HAVE_SRXE_WIRE_H
#include "vendor_names.inc"
#endif
	{ 0, "none" },
};

static const struct name states[] = {
	{ IBV_QPS_RESET, "RESET" }, { IBV_QPS_INIT, "INIT" }, { IBV_QPS_RTR, "RTR" },
	{ IBV_QPS_RTS, "RTS" }, { IBV_QPS_SQD, "SQD" }, { IBV_QPS_SQE, "SQE" },
	{ IBV_QPS_ERR, "ERR" },
};

static const char *find_name(const struct name *tab, size_t n, long value)
{
	for (size_t i = 0; i < n; i++)
		if (tab[i].value == value)
			return tab[i].name;
	return NULL;
}

static long find_value(const struct name *tab, size_t n, const char *name)
{
	char *end;
	long value;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(tab[i].name, name))
			return tab[i].value;
	value = strtol(name, &end, 0);
	return *name && !*end && value >= 0 ? value : -1;
}

const char *qp_name(enum ibv_qp_type type)
{
	return find_name(services, COUNT(services), type);
}

int qp_by_name(const char *name)
{
	for (size_t i = 0; i < COUNT(services); i++)
		if (!strcmp(services[i].name, name))
			return services[i].value;
	return -1;
}

const char *op_name(enum op op)
{
	return op_names[op];
}

int op_by_name(const char *name)
{
	for (int i = 0; i < OP_COUNT; i++)
		if (!strcmp(op_names[i], name))
			return i;
	return -1;
}

const char *wc_status_name(int status)
{
	const char *name = find_name(statuses, COUNT(statuses), status);

	return name ? name : "unknown";
}

int wc_status_by_name(const char *name)
{
	return (int)find_value(statuses, COUNT(statuses), name);
}

/* NULL for a value that has no name. */
const char *vendor_name(uint32_t vendor)
{
	return find_name(vendors, COUNT(vendors), vendor);
}

long vendor_by_name(const char *name)
{
	return find_value(vendors, COUNT(vendors), name);
}

const char *qp_state_name(enum ibv_qp_state state)
{
	const char *name = find_name(states, COUNT(states), state);

	return name ? name : "unknown";
}

char *wc_text(const struct ibv_wc *wc, char *buf, size_t len)
{
	const char *vendor = vendor_name(wc->vendor_err);

	snprintf(buf, len, "%s vendor_err 0x%x%s%s", wc_status_name(wc->status), wc->vendor_err,
		 vendor ? " " : "", vendor ? vendor : "");
	return buf;
}

void json_string(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			fprintf(f, "\\u%04x", *text);
		else
			fputc(*text, f);
	}
	fputc('"', f);
}
