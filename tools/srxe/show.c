// SPDX-License-Identifier: GPL-2.0
/* What the show commands have in common: all links or one, as text or as JSON. */

#include <string.h>

#include "srxe.h"

/* Nothing, NAME or dev NAME; *dev is NULL for nothing. */
int parse_dev(int argc, char **argv, const char **dev)
{
	*dev = NULL;
	for (; argc > 0; argc--, argv++) {
		if (strcmp(argv[0], "dev") == 0) {
			if (need_value(argc, argv))
				return SRXE_SYNTAX;
			argc--;
			argv++;
		}
		if (*dev)
			return syntax("what is \"%s\"? One device at most", argv[0]);
		*dev = argv[0];
	}
	return SRXE_OK;
}

int show_listing(const struct listing *list, int argc, char **argv)
{
	struct nlmsghdr *nlh;
	const char *dev;
	int status;

	status = parse_dev(argc, argv, &dev) ?: genl_open();
	if (status)
		return status;
	nlh = genl_request(list->get, dev && list->one_per_link ? 0 : NLM_F_DUMP);
	if (dev)
		mnl_attr_put_strz(nlh, list->dev_name, dev);
	out_begin();
	status = genl_talk(nlh, list->max_attr, list->show_one, NULL, dev);
	return out_end() ?: status;
}
