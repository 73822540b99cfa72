// SPDX-License-Identifier: GPL-2.0
/* srxe psk add: puts a key into a link's keyring, as keyctl would. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>

#include <keyutils.h>

#include "srxe.h"

#define KEY_TYPE	"rdma_psk"

/* What is to be added, and where. */
struct addition {
	const char	*dev;
	const char	*file;
	bool		generate;
	char		desc[PEER_DESC_MAX];
	__u32	dev_index;
	key_serial_t	ring;
	key_serial_t	serial;
	bool		exists;
};

static int parse(int argc, char **argv, struct addition *add)
{
	const char *peer = NULL;
	bool extra = false;

	for (; argc > 0; argc--, argv++) {
		bool dev = strcmp(argv[0], "dev") == 0;

		if (dev || strcmp(argv[0], "file") == 0) {
			if (need_value(argc, argv))
				return SRXE_SYNTAX;
			*(dev ? &add->dev : &add->file) = argv[1];
			argc--;
			argv++;
		} else if (strcmp(argv[0], "--generate") == 0 ||
			   strcmp(argv[0], "generate") == 0) {
			add->generate = true;
		} else if (!peer) {
			peer = argv[0];
		} else {
			extra = true;
		}
	}
	if (!add->dev)
		return syntax_no_dev();
	/* It may well be a key: do not repeat it. */
	if (extra)
		return syntax("one argument too many; a key itself is never an argument");
	if (!peer)
		return syntax("which peer? Say peer:ADDRESS[/LEN][#TAG] or default[#TAG]");
	if (add->file && add->generate)
		return syntax("a key is either read from a file or generated");
	return peer_parse(peer, add->desc);
}

static int on_link(const struct nlattr **tb, void *data)
{
	struct addition *add = data;

	add->dev_index = attr_u32(tb[SRXE_A_LINK_DEV_INDEX]);
	add->ring = (key_serial_t)attr_u32(tb[SRXE_A_LINK_KEYRING]);
	return SRXE_OK;
}

static int on_psk(const struct nlattr **tb, void *data)
{
	struct addition *add = data;

	if (attr_u8(tb[SRXE_A_PSK_STATE]) == SRXE_PSK_NL_STATE_LIVE &&
	    strcmp(attr_str(tb[SRXE_A_PSK_DESCRIPTION]), add->desc) == 0)
		add->exists = true;
	return SRXE_OK;
}

/*
 * Finds the keyring. A key of the same description would silently take the
 * place of one that is in use, and end its SAs.
 */
static int find_ring(struct addition *add)
{
	struct nlmsghdr *nlh;
	int status;

	nlh = genl_request(SRXE_CMD_LINK_GET, 0);
	mnl_attr_put_strz(nlh, SRXE_A_LINK_DEV_NAME, add->dev);
	status = genl_talk(nlh, SRXE_A_LINK_MAX, on_link, add, add->dev);
	if (status)
		return status;
	nlh = genl_request(SRXE_CMD_PSK_GET, NLM_F_DUMP);
	mnl_attr_put_strz(nlh, SRXE_A_PSK_DEV_NAME, add->dev);
	status = genl_talk(nlh, SRXE_A_PSK_MAX, on_psk, add, add->dev);
	if (status)
		return status;
	if (add->exists) {
		fprintf(stderr,
			"srxe: %s: there is a live key %s; give this one a #TAG of its own or del that\n",
			add->dev, add->desc);
		return SRXE_KERNEL;
	}
	return SRXE_OK;
}

static const char *remedy(int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
		return ": this needs CAP_NET_ADMIN in the network namespace of the link";
	case EDQUOT:
		return ": the quota of keys is used up, see /proc/sys/kernel/keys";
	case ENODEV:
		return ": the kernel does not know this type of key; is secure_rxe loaded?";
	case EINVAL:
		return ": text, all zeros or one byte repeated is no key; --generate makes one";
	default:
		return "";
	}
}

static int install(struct addition *add, const struct psk *psk)
{
	add->serial = add_key(KEY_TYPE, add->desc, psk->byte, sizeof(psk->byte), add->ring);
	if (add->serial < 0) {
		int err = errno;

		fprintf(stderr, "srxe: %s: cannot add key %s: %s%s\n", add->dev, add->desc,
			strerror(err), remedy(err));
		return SRXE_KERNEL;
	}
	return SRXE_OK;
}

/* Past stdio, which would keep a copy. */
static int write_all(const char *text, size_t len)
{
	ssize_t n;

	for (; len > 0; text += n, len -= (size_t)n) {
		n = write(STDOUT_FILENO, text, len);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n < 0)
			n = 0;
	}
	return 0;
}

/* The only time that the key is shown, for the other end's srxe psk add. */
static int show_generated(const struct addition *add, const struct psk *psk)
{
	char hex[2 * SRXE_PSK_LEN + 1];
	int err = 0;
	size_t i;

	for (i = 0; i < sizeof(psk->byte); i++) {
		hex[2 * i] = "0123456789abcdef"[psk->byte[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[psk->byte[i] & 15];
	}
	hex[2 * i] = '\n';
	if (out_json) {
		out_begin();
		out_open();
		out_uint("ifindex", NULL, add->dev_index);
		out_str("ifname", NULL, add->dev);
		out_str("description", NULL, add->desc);
		out_int("serial", NULL, add->serial);
		fputs(out_pretty ? ",\n        \"key\": \"" : ",\"key\":\"", stdout);
		err = fflush(stdout) || write_all(hex, sizeof(hex) - 1);
		putchar('"');
		out_close();
		err = out_end() || err;
	} else {
		err = write_all(hex, sizeof(hex));
	}
	explicit_bzero(hex, sizeof(hex));
	if (err)
		return syntax("the key is there but could not be shown: del it, generate anew");
	return SRXE_OK;
}

static int get_key(const struct addition *add, struct psk *psk)
{
	if (add->generate)
		return psk_generate(psk);
	return add->file ? psk_read_file(psk, add->file) : psk_read_stdin(psk);
}

int psk_add(int argc, char **argv)
{
	struct addition add = {};
	struct psk psk;
	int status;

	prctl(PR_SET_DUMPABLE, 0);	/* no key in a core file */
	status = parse(argc, argv, &add) ?: genl_open() ?: find_ring(&add);
	if (status)
		return status;
	status = get_key(&add, &psk) ?: install(&add, &psk);
	if (!status && add.generate)
		status = show_generated(&add, &psk);
	psk_wipe(&psk);
	return status;
}
