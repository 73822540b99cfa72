// SPDX-License-Identifier: GPL-2.0
/* srxe link: settings of links. */

#include <stdio.h>
#include <string.h>

#include "srxe.h"

static int help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("Usage: srxe link show [ [ dev ] NAME ]\n"
	     "       srxe link set [ dev ] NAME [ mode MODE ] [ suites SUITES ]\n"
	     "                     [ unkeyed { deny | allow } ] [ driver { NAME | auto } ]\n"
	     "MODE   := { header | packet | encrypt }\n"
	     "SUITES := { all | SUITE[,SUITE]... }\n"
	     "SUITE  := { aes256-gcm | aes128-gcm | chacha20-poly1305 | aegis128 }");
	return SRXE_OK;
}

static void show_policy(const struct nlattr **tb)
{
	const char *driver = attr_str(tb[SRXE_A_LINK_DRIVER]);

	out_str("mode", "mode", name_of(mode_names, attr_u8(tb[SRXE_A_LINK_MODE])));
	out_bits("suites", "suites", suite_names, attr_u32(tb[SRXE_A_LINK_SUITES]));
	out_str("unkeyed", "unkeyed", name_of(unkeyed_names, attr_u8(tb[SRXE_A_LINK_UNKEYED])));
	out_str("driver", "driver", *driver ? driver : "auto");
}

static void show_capabilities(const struct nlattr **tb)
{
	out_text("\n    can");
	out_bits("modes-supported", "modes", mode_names, attr_u32(tb[SRXE_A_LINK_MODE_CAPS]));
	out_bits("suites-supported", "suites", suite_names,
		 attr_u32(tb[SRXE_A_LINK_SUITE_CAPS]));
	out_bits("kinds-supported", "kinds", kind_names, attr_u32(tb[SRXE_A_LINK_KIND_CAPS]));
	out_text("\n   ");
	out_uint("overhead", "overhead", attr_u32(tb[SRXE_A_LINK_OVERHEAD]));
	out_uint("handshakes-max", "handshakes-max", attr_u32(tb[SRXE_A_LINK_HANDSHAKES_MAX]));
}

static int show_one(const struct nlattr **tb, void *data)
{
	(void)data;
	out_open();
	out_uint("ifindex", NULL, attr_u32(tb[SRXE_A_LINK_DEV_INDEX]));
	out_text(": ");
	out_str("ifname", NULL, attr_str(tb[SRXE_A_LINK_DEV_NAME]));
	out_text(":");
	show_policy(tb);
	out_text("\n   ");
	out_int("keyring", "keyring", (__s32)attr_u32(tb[SRXE_A_LINK_KEYRING]));
	out_uint("sas", "sas", attr_u32(tb[SRXE_A_LINK_SAS]));
	if (show_details)
		show_capabilities(tb);
	out_close();
	return SRXE_OK;
}

static int show(int argc, char **argv)
{
	static const struct listing links = {
		.get = SRXE_CMD_LINK_GET,
		.dev_name = SRXE_A_LINK_DEV_NAME,
		.max_attr = SRXE_A_LINK_MAX,
		.one_per_link = true,
		.show_one = show_one,
	};

	return show_listing(&links, argc, argv);
}

/* What "link set" was asked for. */
struct wanted {
	const char	*dev;
	const char	*driver;
	unsigned int	mode;
	unsigned int	unkeyed;
	__u32	suites;
	bool		has_mode, has_unkeyed, has_suites;
};

static int set_one(struct wanted *w, const char *key, const char *value)
{
	if (strcmp(key, "mode") == 0) {
		w->has_mode = true;
		return value_of(mode_names, value, "mode", &w->mode);
	}
	if (strcmp(key, "suites") == 0) {
		w->has_suites = true;
		return bits_of(suite_names, value, "suite", &w->suites);
	}
	if (strcmp(key, "unkeyed") == 0) {
		w->has_unkeyed = true;
		return value_of(unkeyed_names, value, "policy for unkeyed peers", &w->unkeyed);
	}
	if (strcmp(key, "driver") == 0) {
		w->driver = strcmp(value, "auto") == 0 ? "" : value;
		return SRXE_OK;
	}
	w->dev = value;
	return SRXE_OK;
}

static bool is_setting(const char *word)
{
	static const char *const settings[] = { "mode", "suites", "unkeyed", "driver", "dev" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (strcmp(word, settings[i]) == 0)
			return true;
	}
	return false;
}

static int parse_set(int argc, char **argv, struct wanted *w)
{
	int status;

	for (; argc > 0; argc--, argv++) {
		if (!is_setting(argv[0])) {
			if (w->dev)
				return syntax("what is \"%s\"? Try \"srxe link help\"", argv[0]);
			w->dev = argv[0];
			continue;
		}
		status = need_value(argc, argv) ?: set_one(w, argv[0], argv[1]);
		if (status)
			return status;
		argc--;
		argv++;
	}
	if (!w->dev)
		return syntax("which link? Name its RDMA device");
	if (!w->has_mode && !w->has_suites && !w->has_unkeyed && !w->driver)
		return syntax("nothing to set on %s, try \"srxe link help\"", w->dev);
	return SRXE_OK;
}

static int set(int argc, char **argv)
{
	struct wanted w = {};
	struct nlmsghdr *nlh;
	int status;

	status = parse_set(argc, argv, &w) ?: genl_open();
	if (status)
		return status;
	nlh = genl_request(SRXE_CMD_LINK_SET, 0);
	mnl_attr_put_strz(nlh, SRXE_A_LINK_DEV_NAME, w.dev);
	if (w.has_mode)
		mnl_attr_put_u8(nlh, SRXE_A_LINK_MODE, (__u8)w.mode);
	if (w.has_suites)
		mnl_attr_put_u32(nlh, SRXE_A_LINK_SUITES, w.suites);
	if (w.has_unkeyed)
		mnl_attr_put_u8(nlh, SRXE_A_LINK_UNKEYED, (__u8)w.unkeyed);
	if (w.driver)
		mnl_attr_put_strz(nlh, SRXE_A_LINK_DRIVER, w.driver);
	return genl_talk(nlh, 0, NULL, NULL, w.dev);
}

static const struct command commands[] = {
	{ "show", show },
	{ "list", show },
	{ "set", set },
	{ "help", help },
	{ }
};

int link_main(int argc, char **argv)
{
	return run_command(commands, "link", "show", argc, argv);
}
