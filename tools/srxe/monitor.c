// SPDX-License-Identifier: GPL-2.0
/* srxe monitor: what happens on links, as it happens. */

#include <stdio.h>
#include <string.h>

#include "srxe.h"

static int help(void)
{
	puts("Usage: srxe monitor [ [ dev ] NAME ]");
	return SRXE_OK;
}

static void show_ends(const struct nlattr **tb)
{
	if (tb[SRXE_A_EVENT_KIND])
		out_str("kind", NULL, name_of(kind_names, attr_u8(tb[SRXE_A_EVENT_KIND])));
	if (tb[SRXE_A_EVENT_LOCAL_GID])
		out_addr("local", "local", tb[SRXE_A_EVENT_LOCAL_GID]);
	out_qpn("local-qpn", tb[SRXE_A_EVENT_LOCAL_QPN]);
	if (tb[SRXE_A_EVENT_PEER_GID])
		out_addr("peer", "peer", tb[SRXE_A_EVENT_PEER_GID]);
	out_qpn("peer-qpn", tb[SRXE_A_EVENT_PEER_QPN]);
}

static void show_sa(const struct nlattr **tb)
{
	if (tb[SRXE_A_EVENT_MODE])
		out_str("mode", "mode", name_of(mode_names, attr_u8(tb[SRXE_A_EVENT_MODE])));
	if (tb[SRXE_A_EVENT_SUITE])
		out_str("suite", "suite", name_of(suite_names, attr_u8(tb[SRXE_A_EVENT_SUITE])));
	if (tb[SRXE_A_EVENT_SA_ID])
		out_bytes("id", "id", tb[SRXE_A_EVENT_SA_ID]);
	if (tb[SRXE_A_EVENT_LOCAL_SPI])
		out_hex32("local-spi", "spi", attr_u32(tb[SRXE_A_EVENT_LOCAL_SPI]));
	if (tb[SRXE_A_EVENT_PEER_SPI])
		out_hex32("peer-spi", "peer-spi", attr_u32(tb[SRXE_A_EVENT_PEER_SPI]));
}

static void show_key(const struct nlattr **tb)
{
	if (tb[SRXE_A_EVENT_KEY_DESCRIPTION])
		out_str("key-description", "key", attr_str(tb[SRXE_A_EVENT_KEY_DESCRIPTION]));
	if (tb[SRXE_A_EVENT_KEY_SERIAL])
		out_int("key-serial", "serial", (__s32)attr_u32(tb[SRXE_A_EVENT_KEY_SERIAL]));
	if (tb[SRXE_A_EVENT_KEY_ID])
		out_bytes("key-id", "key-id", tb[SRXE_A_EVENT_KEY_ID]);
}

static void show_reason(const struct nlattr **tb)
{
	if (tb[SRXE_A_EVENT_FAILURE])
		out_str("reason", "reason",
			name_of(failure_names, attr_u32(tb[SRXE_A_EVENT_FAILURE])));
	if (tb[SRXE_A_EVENT_AUTH_CAUSE])
		out_str("reason", "reason",
			name_of(auth_cause_names, attr_u8(tb[SRXE_A_EVENT_AUTH_CAUSE])));
	if (tb[SRXE_A_EVENT_KEY_END])
		out_str("reason", "reason",
			name_of(key_end_names, attr_u8(tb[SRXE_A_EVENT_KEY_END])));
	if (tb[SRXE_A_EVENT_COUNT])
		out_uint("count", "count", attr_u64(tb[SRXE_A_EVENT_COUNT]));
}

static int show_event(__u8 cmd, const struct nlattr **tb, void *data)
{
	const char *only = data, *dev = attr_str(tb[SRXE_A_EVENT_DEV_NAME]);

	if (only && strcmp(dev, only) != 0)
		return SRXE_OK;
	out_open();
	out_uint("ifindex", NULL, attr_u32(tb[SRXE_A_EVENT_DEV_INDEX]));
	out_text(": ");
	out_str("ifname", NULL, dev);
	out_text(":");
	out_str("event", NULL, name_of(event_names, cmd));
	show_reason(tb);
	show_ends(tb);
	show_sa(tb);
	show_key(tb);
	out_close();
	return out_flush();
}

/* Whose events they were is not known. */
static int show_loss(void)
{
	out_open();
	out_str("event", NULL, "lost");
	out_text(" events: they came faster than they were read, or memory was short");
	out_close();
	return out_flush();
}

int monitor_main(int argc, char **argv)
{
	const char *dev;
	int status;

	if (argc == 1 && abbreviates(argv[0], "help"))
		return help();
	status = parse_dev(argc, argv, &dev) ?: genl_join(SRXE_GENL_MCGRP_EVENTS);
	while (!status)
		status = genl_events(SRXE_A_EVENT_MAX, show_event, show_loss, (void *)dev);
	return status;
}
