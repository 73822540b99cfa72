// SPDX-License-Identifier: GPL-2.0
/* srxe sa: the security associations there are. */

#include <stdio.h>

#include "srxe.h"

static int help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("Usage: srxe sa show [ [ dev ] NAME ]");
	return SRXE_OK;
}

static void show_end(const char *side, const struct nlattr *gid, const struct nlattr *qpn)
{
	bool local = *side == 'l';

	if (gid)
		out_addr(local ? "local" : "peer", side, gid);
	out_qpn(local ? "local-qpn" : "peer-qpn", qpn);
}

static void show_key(const struct nlattr **tb)
{
	out_text("\n    key");
	if (tb[SRXE_A_SA_KEY_DESCRIPTION])
		out_str("key-description", NULL, attr_str(tb[SRXE_A_SA_KEY_DESCRIPTION]));
	if (tb[SRXE_A_SA_KEY_SERIAL])
		out_int("key-serial", "serial", (__s32)attr_u32(tb[SRXE_A_SA_KEY_SERIAL]));
	if (tb[SRXE_A_SA_KEY_ID])
		out_bytes("key-id", "id", tb[SRXE_A_SA_KEY_ID]);
	if (tb[SRXE_A_SA_KEY_MATCH])
		out_str("key-match", "match",
			name_of(psk_match_names, attr_u8(tb[SRXE_A_SA_KEY_MATCH])));
}

/* Not there before the handshake is through. */
static void show_agreed(const struct nlattr **tb)
{
	out_text("\n   ");
	out_str("mode", "mode", name_of(mode_names, attr_u8(tb[SRXE_A_SA_MODE])));
	out_str("suite", "suite", name_of(suite_names, attr_u8(tb[SRXE_A_SA_SUITE])));
	if (tb[SRXE_A_SA_DRIVER])
		out_str("driver", "driver", attr_str(tb[SRXE_A_SA_DRIVER]));
	out_flag("initiator", "initiator", tb[SRXE_A_SA_INITIATOR]);
	if (tb[SRXE_A_SA_ESTABLISHED])
		out_time("established", "established", attr_u64(tb[SRXE_A_SA_ESTABLISHED]));
	out_text("\n   ");
	if (tb[SRXE_A_SA_ID])
		out_bytes("id", "id", tb[SRXE_A_SA_ID]);
	out_hex32("local-spi", "spi", attr_u32(tb[SRXE_A_SA_LOCAL_SPI]));
	out_hex32("peer-spi", "peer-spi", attr_u32(tb[SRXE_A_SA_PEER_SPI]));
	out_text("\n   ");
	out_uint("tx-epoch", "tx epoch", attr_u64(tb[SRXE_A_SA_TX_EPOCH]));
	out_uint("tx-pn", "packet", attr_u64(tb[SRXE_A_SA_TX_PN]));
	out_uint("rx-epoch", "rx epoch", attr_u64(tb[SRXE_A_SA_RX_EPOCH]));
	out_uint("rx-pn", "packet", attr_u64(tb[SRXE_A_SA_RX_PN]));
}

static int show_one(const struct nlattr **tb, void *data)
{
	unsigned int state = attr_u8(tb[SRXE_A_SA_STATE]);

	(void)data;
	out_open();
	out_uint("ifindex", NULL, attr_u32(tb[SRXE_A_SA_DEV_INDEX]));
	out_text(": ");
	out_str("ifname", NULL, attr_str(tb[SRXE_A_SA_DEV_NAME]));
	out_text(":");
	out_str("kind", NULL, name_of(kind_names, attr_u8(tb[SRXE_A_SA_KIND])));
	show_end("local", tb[SRXE_A_SA_LOCAL_GID], tb[SRXE_A_SA_LOCAL_QPN]);
	show_end("peer", tb[SRXE_A_SA_PEER_GID], tb[SRXE_A_SA_PEER_QPN]);
	out_str("state", "state", name_of(sa_state_names, state));
	if (tb[SRXE_A_SA_MODE])
		show_agreed(tb);
	show_key(tb);
	out_close();
	return SRXE_OK;
}

static int show(int argc, char **argv)
{
	static const struct listing sas = {
		.get = SRXE_CMD_SA_GET,
		.dev_name = SRXE_A_SA_DEV_NAME,
		.max_attr = SRXE_A_SA_MAX,
		.show_one = show_one,
	};

	return show_listing(&sas, argc, argv);
}

static const struct command commands[] = {
	{ "show", show },
	{ "list", show },
	{ "help", help },
	{ }
};

int sa_main(int argc, char **argv)
{
	return run_command(commands, "sa", "show", argc, argv);
}
