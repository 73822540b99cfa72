// SPDX-License-Identifier: GPL-2.0
/* srxe psk: pre-shared keys of links, and what is left of keys that went. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "srxe.h"

static int help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("Usage: srxe psk show [ [ dev ] NAME ]\n"
	     "       srxe psk add dev NAME PEER [ file PATH | --generate ]\n"
	     "       srxe psk revoke dev NAME KEY\n"
	     "       srxe psk timeout dev NAME KEY { SECONDS | never }\n"
	     "       srxe psk del dev NAME KEY\n"
	     "       srxe psk clear dev NAME { ADDRESS[/LEN] | default | all }\n"
	     "PEER := { peer:ADDRESS[/LEN][#TAG] | default[#TAG] }\n"
	     "KEY  := { SERIAL | PEER }\n"
	     "add reads the key from standard input: 32 random bytes, raw, in hex or in base64.");
	return SRXE_OK;
}

static void show_key(const struct nlattr **tb)
{
	out_str("description", NULL, attr_str(tb[SRXE_A_PSK_DESCRIPTION]));
	out_str("state", "state", name_of(psk_state_names, attr_u8(tb[SRXE_A_PSK_STATE])));
	out_str("match", "match", name_of(psk_match_names, attr_u8(tb[SRXE_A_PSK_MATCH])));
	out_uint("sas", "sas", attr_u32(tb[SRXE_A_PSK_SAS]));
	out_text("\n   ");
	out_int("serial", "serial", (__s32)attr_u32(tb[SRXE_A_PSK_SERIAL]));
	if (tb[SRXE_A_PSK_KEY_ID])
		out_bytes("key-id", "id", tb[SRXE_A_PSK_KEY_ID]);
	out_text("\n   ");
	out_time("since", "since", attr_u64(tb[SRXE_A_PSK_SINCE]));
	if (tb[SRXE_A_PSK_EXPIRY])
		out_time("expires", "expires", attr_u64(tb[SRXE_A_PSK_EXPIRY]));
}

static void show_tombstone(const struct nlattr **tb)
{
	/* as clear takes it */
	out_str("peers", NULL, peer_of(attr_str(tb[SRXE_A_PSK_DESCRIPTION])));
	out_str("state", "state", name_of(psk_state_names, attr_u8(tb[SRXE_A_PSK_STATE])));
	out_str("match", "match", name_of(psk_match_names, attr_u8(tb[SRXE_A_PSK_MATCH])));
	out_flag("denied", "denied", tb[SRXE_A_PSK_DENIED]);
	out_time("since", "since", attr_u64(tb[SRXE_A_PSK_SINCE]));
}

static int show_one(const struct nlattr **tb, void *data)
{
	(void)data;
	out_open();
	out_uint("ifindex", NULL, attr_u32(tb[SRXE_A_PSK_DEV_INDEX]));
	out_text(": ");
	out_str("ifname", NULL, attr_str(tb[SRXE_A_PSK_DEV_NAME]));
	out_text(":");
	if (tb[SRXE_A_PSK_SERIAL])
		show_key(tb);
	else
		show_tombstone(tb);
	out_close();
	return SRXE_OK;
}

static int show(int argc, char **argv)
{
	static const struct listing psks = {
		.get = SRXE_CMD_PSK_GET,
		.dev_name = SRXE_A_PSK_DEV_NAME,
		.max_attr = SRXE_A_PSK_MAX,
		.show_one = show_one,
	};

	return show_listing(&psks, argc, argv);
}

/* dev NAME and, in this order, count other words. */
static int parse_words(int argc, char **argv, const char **dev, const char **words,
		       int count, const char *what)
{
	const char *extra = NULL;
	int n = 0;

	*dev = NULL;
	for (; argc > 0; argc--, argv++) {
		if (strcmp(argv[0], "dev") == 0) {
			if (need_value(argc, argv))
				return SRXE_SYNTAX;
			*dev = argv[1];
			argc--;
			argv++;
		} else if (n < count) {
			words[n++] = argv[0];
		} else if (!extra) {
			extra = argv[0];
		}
	}
	/* without "dev" its name is among the words, and one of them too many */
	if (!*dev)
		return syntax_no_dev();
	if (extra)
		return syntax("what is \"%s\"? Try \"srxe psk help\"", extra);
	if (n < count)
		return syntax("%s missing, try \"srxe psk help\"", what);
	return SRXE_OK;
}

/* A key by its description or, where that is empty, its serial. */
struct key_name {
	char	desc[PEER_DESC_MAX];
	__u32	serial;
};

static int parse_key(const char *word, struct key_name *key)
{
	char *end;
	long serial;

	memset(key, 0, sizeof(*key));
	if (peer_is_keyspec(word))
		return peer_parse(word, key->desc);
	serial = strtol(word, &end, 10);
	if (*word < '1' || *word > '9' || *end || serial > 0x7fffffff)
		return syntax("\"%s\" is neither a key's serial nor peer:... nor default", word);
	key->serial = (__u32)serial;
	return SRXE_OK;
}

static struct nlmsghdr *key_request(__u8 cmd, const char *dev, const struct key_name *key)
{
	struct nlmsghdr *nlh = genl_request(cmd, 0);

	mnl_attr_put_strz(nlh, SRXE_A_PSK_DEV_NAME, dev);
	if (key->desc[0])
		mnl_attr_put_strz(nlh, SRXE_A_PSK_DESCRIPTION, key->desc);
	else
		mnl_attr_put_u32(nlh, SRXE_A_PSK_SERIAL, key->serial);
	return nlh;
}

/* The commands that do something to one key and need nothing else. */
static int act_on_key(__u8 cmd, int argc, char **argv)
{
	const char *dev, *word;
	struct key_name key;

	return parse_words(argc, argv, &dev, &word, 1, "key") ?:
	       parse_key(word, &key) ?:
	       genl_open() ?:
	       genl_talk(key_request(cmd, dev, &key), 0, NULL, NULL, dev);
}

static int revoke_key(int argc, char **argv)
{
	return act_on_key(SRXE_CMD_PSK_REVOKE, argc, argv);
}

static int del_key(int argc, char **argv)
{
	return act_on_key(SRXE_CMD_PSK_DEL, argc, argv);
}

static int set_timeout(int argc, char **argv)
{
	struct nlmsghdr *nlh;
	const char *dev, *words[2];
	struct key_name key;
	__u32 seconds;
	int status;

	status = parse_words(argc, argv, &dev, words, 2, "key or time") ?:
		 parse_key(words[0], &key) ?:
		 parse_seconds(words[1], &seconds) ?:
		 genl_open();
	if (status)
		return status;
	nlh = key_request(SRXE_CMD_PSK_TIMEOUT, dev, &key);
	mnl_attr_put_u32(nlh, SRXE_A_PSK_TIMEOUT, seconds);
	return genl_talk(nlh, 0, NULL, NULL, dev);
}

static int clear_tombstones(int argc, char **argv)
{
	char desc[PEER_DESC_MAX];
	struct nlmsghdr *nlh;
	const char *dev, *which;
	bool all;
	int status;

	status = parse_words(argc, argv, &dev, &which, 1, "address, \"default\" or \"all\"");
	if (status)
		return status;
	all = strcmp(which, "all") == 0;
	status = (all ? SRXE_OK : peer_parse_untagged(which, desc)) ?: genl_open();
	if (status)
		return status;
	nlh = genl_request(SRXE_CMD_PSK_CLEAR, 0);
	mnl_attr_put_strz(nlh, SRXE_A_PSK_DEV_NAME, dev);
	if (all)
		mnl_attr_put(nlh, SRXE_A_PSK_ALL, 0, NULL);
	else
		mnl_attr_put_strz(nlh, SRXE_A_PSK_DESCRIPTION, desc);
	return genl_talk(nlh, 0, NULL, NULL, dev);
}

static const struct command commands[] = {
	{ "show", show },
	{ "list", show },
	{ "add", psk_add },
	{ "revoke", revoke_key },
	{ "timeout", set_timeout },
	{ "del", del_key },
	{ "clear", clear_tombstones },
	{ "help", help },
	{ }
};

int psk_main(int argc, char **argv)
{
	return run_command(commands, "psk", "show", argc, argv);
}
