// SPDX-License-Identifier: GPL-2.0
/*
 * Key material. It comes from standard input, from a file that only its owner
 * can read, or from the kernel's random numbers: an argument would be in every
 * list of processes and in the shell's history. Each copy is wiped.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "srxe.h"

/* No form of a key is longer, white space behind it included. */
#define KEY_TEXT_MAX	256
#define HEX_LEN		(2 * SRXE_PSK_LEN)
#define BASE64_LEN	44	/* of SRXE_PSK_LEN bytes, one = of padding */

void psk_wipe(struct psk *psk)
{
	explicit_bzero(psk, sizeof(*psk));
}

static int hex_digit(__u8 c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_hex(struct psk *psk, const __u8 *text)
{
	size_t i;

	for (i = 0; i < SRXE_PSK_LEN; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		psk->byte[i] = (__u8)(high << 4 | low);
	}
	return true;
}

static int base64_digit(__u8 c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool parse_base64(struct psk *psk, const __u8 *text)
{
	unsigned int bits = 0, have = 0;
	size_t i, n = 0;

	if (text[BASE64_LEN - 1] != '=')
		return false;
	for (i = 0; i < BASE64_LEN - 1; i++) {
		int digit = base64_digit(text[i]);

		if (digit < 0)
			return false;
		bits = (bits << 6 | (unsigned int)digit) & 0x3fff;
		have += 6;
		if (have >= 8) {
			have -= 8;
			psk->byte[n++] = (__u8)(bits >> have);
		}
	}
	/* The bits that are left over must be 0: one key has one spelling. */
	return n == SRXE_PSK_LEN && !(bits & ((1U << have) - 1));
}

/* 32 raw bytes, or 64 hex digits or base64 with nothing but white space behind. */
int psk_parse(struct psk *psk, const __u8 *buf, size_t len)
{
	if (len == SRXE_PSK_LEN) {
		memcpy(psk->byte, buf, len);
		return SRXE_OK;
	}
	while (len > 0 && memchr(" \t\r\n", buf[len - 1], 4))
		len--;
	if (len == HEX_LEN && parse_hex(psk, buf))
		return SRXE_OK;
	if (len == BASE64_LEN && parse_base64(psk, buf))
		return SRXE_OK;
	psk_wipe(psk);
	return syntax("a key is %d random bytes, raw, in hex or in base64; no passphrase",
		      SRXE_PSK_LEN);
}

/* Reads to the end, or more than any key can have; from a terminal one line. */
static ssize_t read_all(int fd, __u8 *buf, size_t size)
{
	bool line = isatty(fd);
	size_t have = 0;
	ssize_t n;

	do {
		n = read(fd, buf + have, size - have);
		if (n > 0)
			have += (size_t)n;
	} while ((n > 0 && have < size && !line) || (n < 0 && errno == EINTR));
	return n < 0 ? -1 : (ssize_t)have;
}

static int psk_read(struct psk *psk, int fd, const char *what)
{
	__u8 buf[KEY_TEXT_MAX];
	ssize_t len = read_all(fd, buf, sizeof(buf));
	int status;

	if (len < 0)
		status = syntax("cannot read the key from %s: %m", what);
	else
		status = psk_parse(psk, buf, (size_t)len);
	explicit_bzero(buf, sizeof(buf));
	return status;
}

/* Not shown. Signals wait, so that none leaves the terminal mute. */
static int read_terminal(struct psk *psk)
{
	struct termios before, mute;
	sigset_t all, mask;
	int status;

	if (tcgetattr(STDIN_FILENO, &before))
		return syntax("cannot set up the terminal: %m");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	mute = before;
	mute.c_lflag &= ~(tcflag_t)ECHO;
	fputs("Key (hex or base64, not shown): ", stderr);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &mute);
	status = psk_read(psk, STDIN_FILENO, "the terminal");
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	fputc('\n', stderr);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return status;
}

int psk_read_stdin(struct psk *psk)
{
	if (isatty(STDIN_FILENO))
		return read_terminal(psk);
	return psk_read(psk, STDIN_FILENO, "standard input");
}

/* Judged by the open file, so that nothing can be swapped in between. */
static int check_file(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st))
		return syntax("%s: %m", path);
	if (!S_ISREG(st.st_mode))
		return syntax("%s is no regular file; use standard input for others", path);
	if (st.st_uid != geteuid())
		return syntax("%s belongs to another user, who could read or change the key", path);
	if (st.st_mode & 0077)
		return syntax("%s is open to others: chmod 600 it, or make a new key", path);
	return SRXE_OK;
}

int psk_read_file(struct psk *psk, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int status;

	if (fd < 0)
		return syntax("%s: %m", path);
	status = check_file(fd, path);
	if (!status)
		status = psk_read(psk, fd, path);
	close(fd);
	return status;
}

int psk_generate(struct psk *psk)
{
	size_t have = 0;
	ssize_t n;

	while (have < sizeof(psk->byte)) {
		n = getrandom(psk->byte + have, sizeof(psk->byte) - have, 0);
		if (n < 0 && errno != EINTR)
			return syntax("no random numbers: %m");
		if (n > 0)
			have += (size_t)n;
	}
	return SRXE_OK;
}
