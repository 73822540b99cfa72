// SPDX-License-Identifier: GPL-2.0
/* srxe: settings, security associations and keys of secure-rxe links. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "srxe.h"
#include "version.h"

bool show_details;

static void usage(FILE *to)
{
	fputs("Usage: srxe [ OPTIONS ] OBJECT { COMMAND | help }\n"
	      "       srxe [ OPTIONS ] monitor [ [ dev ] NAME ]\n"
	      "where  OBJECT := { link | sa | psk }\n"
	      "       OPTIONS := { -V[ersion] | -h[elp] | -j[son] | -p[retty] | -d[etails] }\n",
	      to);
}

static int help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	usage(stdout);
	return SRXE_OK;
}

/* Prints what is wrong with the command line. Returns: SRXE_SYNTAX. */
int syntax(const char *fmt, ...)
{
	int err = errno;	/* for %m */
	va_list args;

	fputs("srxe: ", stderr);
	errno = err;
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return SRXE_SYNTAX;
}

/*
 * A command needs "dev NAME" and has none. What stands there instead may be
 * anything, a key even: it is not repeated. Returns: SRXE_SYNTAX.
 */
int syntax_no_dev(void)
{
	return syntax("which link? \"dev NAME\" is missing, NAME being its RDMA device");
}

/* Is word a beginning of the other, or all of it? */
bool abbreviates(const char *word, const char *of)
{
	return *word && strncmp(word, of, strlen(word)) == 0;
}

/* Checks that the keyword argv[0] has something behind it. */
int need_value(int argc, char **argv)
{
	if (argc < 2)
		return syntax("\"%s\" needs a value", argv[0]);
	return SRXE_OK;
}

/*
 * Runs the first command that argv[0] abbreviates; fallback is what no argument
 * at all stands for, if anything.
 */
int run_command(const struct command *commands, const char *what, const char *fallback,
		int argc, char **argv)
{
	const char *word = argc > 0 ? argv[0] : fallback;
	const struct command *c;

	if (!word)
		return syntax("%s command missing, try \"srxe %s help\"", what, what);
	for (c = commands; c->name; c++) {
		if (abbreviates(word, c->name))
			return c->run(argc > 0 ? argc - 1 : 0, argc > 0 ? argv + 1 : argv);
	}
	return syntax("unknown %s command \"%s\", try \"srxe %s help\"", what, word, what);
}

static const struct command objects[] = {
	{ "link", link_main },
	{ "sa", sa_main },
	{ "psk", psk_main },
	{ "monitor", monitor_main },
	{ "help", help },
	{ }
};

static int run_object(int argc, char **argv)
{
	const struct command *c;

	if (argc < 1) {
		usage(stderr);
		return SRXE_SYNTAX;
	}
	for (c = objects; c->name; c++) {
		if (abbreviates(argv[0], c->name))
			return c->run(argc - 1, argv + 1);
	}
	return syntax("unknown object \"%s\", try \"srxe help\"", argv[0]);
}

/* One letter options may be given together, as in -jp. Returns: known ones only? */
static bool letters(const char *opt)
{
	for (; *opt; opt++) {
		switch (*opt) {
		case 'j':
			out_json = true;
			break;
		case 'p':
			out_pretty = true;
			break;
		case 'd':
			show_details = true;
			break;
		default:
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	int status;

	for (argc--, argv++; argc > 0 && argv[0][0] == '-'; argc--, argv++) {
		const char *opt = argv[0] + 1;

		if (*opt == '-')
			opt++;
		if (abbreviates(opt, "Version")) {
			puts("srxe " SRXE_VERSION);
			return SRXE_OK;
		} else if (abbreviates(opt, "help")) {
			usage(stdout);
			return SRXE_OK;
		} else if (abbreviates(opt, "json")) {
			out_json = true;
		} else if (abbreviates(opt, "pretty")) {
			out_pretty = true;
		} else if (abbreviates(opt, "details")) {
			show_details = true;
		} else if (!*opt || !letters(opt)) {
			return syntax("unknown option \"%s\", try \"srxe -help\"", argv[0]);
		}
	}
	status = run_object(argc, argv);
	genl_close();
	return status;
}
