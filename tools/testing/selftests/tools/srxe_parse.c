// SPDX-License-Identifier: GPL-2.0
/* KTAP test of what srxe makes of peers, keys and times; linked with its objects. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "../../../srxe/srxe.h"

static unsigned int count, failed;

static void result(bool ok, const char *what, const char *which)
{
	if (!ok)
		failed++;
	printf("%sok %u %s: %s\n", ok ? "" : "not ", ++count, what, which);
}

/* The program's main file, which this one stands in for, has these. */
int syntax(const char *fmt, ...)
{
	(void)fmt;
	return SRXE_SYNTAX;
}

int need_value(int argc, char **argv)
{
	(void)argv;
	return argc < 2 ? SRXE_SYNTAX : SRXE_OK;
}

static const struct {
	const char *word;
	const char *desc;	/* NULL: refused */
} peers[] = {
	{ "default", "default" },
	{ "default#a", "default#a" },
	{ "peer:10.0.0.2", "peer:10.0.0.2" },
	{ "peer:10.0.0.2/32", "peer:10.0.0.2" },
	{ "peer:10.0.0.0/24", "peer:10.0.0.0/24" },
	{ "peer:0.0.0.0/0", "peer:0.0.0.0/0" },
	{ "peer:10.0.0.2#new-1_a.b", "peer:10.0.0.2#new-1_a.b" },
	{ "peer:::ffff:10.0.0.2", "peer:10.0.0.2" },
	{ "peer:FD00:0::00:1", "peer:fd00::1" },
	{ "peer:fd00:0:0:1:0:0:0:0/64", "peer:fd00:0:0:1::/64" },
	{ "peer:fd00::1/128", "peer:fd00::1" },
	{ "peer:::/0", "peer:::/0" },
	{ "peer:::1", "peer:::1" },
	{ "peer:::102:304", "peer:::102:304" },
	{ "peer:::1:0/112", "peer:::1:0/112" },
	{ "", NULL },
	{ "peer", NULL },
	{ "peer:", NULL },
	{ "default/0", NULL },
	{ "defaults", NULL },
	{ "peer:10.0.0", NULL },
	{ "peer:010.0.0.1", NULL },
	{ "peer:10.0.0.2/", NULL },
	{ "peer:10.0.0.2/-1", NULL },
	{ "peer:10.0.0.2/+32", NULL },
	{ "peer:10.0.0.2/33", NULL },
	{ "peer:10.0.0.2/24", NULL },
	{ "peer:fd00::1/129", NULL },
	{ "peer:fd00::1/64", NULL },
	{ "peer:::ffff:10.0.0.0/120", NULL },
	{ "peer:fe80::1%eth0", NULL },
	{ "peer:10.0.0.2#", NULL },
	{ "peer:10.0.0.2#a#b", NULL },
	{ "peer:10.0.0.2#a b", NULL },
	{ "peer:10.0.0.2#\303\244", NULL },
};

static void test_peers(void)
{
	char desc[PEER_DESC_MAX], tag[PEER_DESC_MAX];
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(peers); i++) {
		err = peer_parse(peers[i].word, desc);
		result(peers[i].desc ? !err && !strcmp(desc, peers[i].desc) : err,
		       "peer", *peers[i].word ? peers[i].word : "empty");
	}
	snprintf(tag, sizeof(tag), "default#%063d", 0);
	result(!peer_parse(tag, desc) && !strcmp(tag, desc), "peer", "tag of 63");
	snprintf(tag, sizeof(tag), "default#%064d", 0);
	result(peer_parse(tag, desc), "peer", "tag of 64");
	memset(tag, 'x', sizeof(tag) - 1);
	tag[sizeof(tag) - 1] = '\0';
	result(peer_parse(tag, desc), "peer", "longer than a description");
}

#define HEX	"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff"
#define BASE64	"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv8="

static const struct {
	const char *what;
	const char *text;
	bool ok;
} keys[] = {
	{ "hex", HEX, true },
	{ "hex, upper case", "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1EFF",
	  true },
	{ "hex, line end", HEX "\n", true },
	{ "hex, other line end", HEX "\r\n", true },
	{ "base64", BASE64, true },
	{ "base64, line end", BASE64 "\n", true },
	{ "nothing", "", false },
	{ "hex, one digit less", "0" HEX + 2, false },
	{ "hex, one digit more", HEX "0", false },
	{ "hex, no digit", "g" HEX + 2, false },
	{ "hex, space before", " " HEX, false },
	{ "hex, twice", HEX HEX, false },
	{ "base64, no padding", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv8", false },
	{ "base64, bits left", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv9=", false },
	{ "base64, URL's", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv_=", false },
	{ "base64, 31 bytes", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", false },
	{ "base64, padding within", "=AECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv8=", false },
	{ "passphrase", "correct horse battery staple", false },
};

static void fill(__u8 *byte)
{
	int i;

	for (i = 0; i < SRXE_PSK_LEN; i++)
		byte[i] = (__u8)i;
	byte[SRXE_PSK_LEN - 1] = 0xff;
}

static void test_keys(void)
{
	struct psk psk, want, zero = {};
	size_t i;
	int err;

	fill(want.byte);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		memset(&psk, 0xa5, sizeof(psk));
		err = psk_parse(&psk, (const __u8 *)keys[i].text, strlen(keys[i].text));
		result(keys[i].ok ? !err && !memcmp(&psk, &want, sizeof(psk))
				  : err && !memcmp(&psk, &zero, sizeof(psk)),
		       "key", keys[i].what);
	}
	err = psk_parse(&psk, want.byte, sizeof(want.byte));
	result(!err && !memcmp(&psk, &want, sizeof(psk)), "key", "raw");
	result(psk_parse(&psk, want.byte, sizeof(want.byte) - 1), "key", "raw, too short");
	err = psk_generate(&psk) || psk_generate(&want);
	result(!err && memcmp(&psk, &want, sizeof(psk)), "key", "generated ones differ");
}

/* A file of that mode with a key in it, read with what psk_read_file() has to say. */
static int read_mode(const char *path, mode_t mode)
{
	struct psk psk;
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, HEX, sizeof(HEX) - 1) != sizeof(HEX) - 1 || fchmod(fd, mode))
		exit(1);
	close(fd);
	return psk_read_file(&psk, path);
}

static void test_files(void)
{
	char path[] = "/tmp/srxe-parse-XXXXXX", name[64];
	struct psk psk;

	if (!mkdtemp(path))
		exit(1);
	snprintf(name, sizeof(name), "%s/key", path);
	result(!read_mode(name, 0600), "file", "mode 600");
	result(!read_mode(name, 0400), "file", "mode 400");
	result(read_mode(name, 0640), "file", "mode 640");
	result(read_mode(name, 0604), "file", "mode 604");
	result(read_mode(name, 0620), "file", "mode 620");
	result(psk_read_file(&psk, path), "file", "a directory");
	unlink(name);
	result(psk_read_file(&psk, name), "file", "none");
	if (mkfifo(name, 0600))
		exit(1);
	result(psk_read_file(&psk, name), "file", "a FIFO does not hang");
	unlink(name);
	rmdir(path);
	result(psk_read_file(&psk, "/dev/zero"), "file", "a device");
	if (geteuid() != 0)
		result(psk_read_file(&psk, "/etc/passwd"), "file", "of another user");
	else
		result(true, "file", "of another user # SKIP no other user's files for root");
}

static const struct {
	const char *word;
	int status;
	__u32 seconds;
} times[] = {
	{ "never", SRXE_OK, 0 },
	{ "1", SRXE_OK, 1 },
	{ "4294967295", SRXE_OK, 4294967295U },
	{ "0", SRXE_SYNTAX, 0 },
	{ "4294967296", SRXE_SYNTAX, 0 },
	{ "99999999999999999999", SRXE_SYNTAX, 0 },
	{ "-1", SRXE_SYNTAX, 0 },
	{ " 1", SRXE_SYNTAX, 0 },
	{ "1h", SRXE_SYNTAX, 0 },
	{ "", SRXE_SYNTAX, 0 },
};

static void test_times(void)
{
	__u32 seconds;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		err = parse_seconds(times[i].word, &seconds);
		result(err == times[i].status && seconds == times[i].seconds, "time",
		       *times[i].word ? times[i].word : "empty");
	}
}

int main(void)
{
	/* tables, and what is tested beside them */
	unsigned int plan = ARRAY_SIZE(peers) + 3 + ARRAY_SIZE(keys) + 3 + 10 + ARRAY_SIZE(times);

	printf("KTAP version 1\n1..%u\n", plan);
	test_peers();
	test_keys();
	test_files();
	test_times();
	return failed || count != plan;
}
