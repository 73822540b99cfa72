// SPDX-License-Identifier: GPL-2.0
/*
 * Output. A show command says once what an object consists of; -j makes an
 * array of JSON objects of it, otherwise it is words in lines.
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "srxe.h"

bool out_json, out_pretty;

static bool in_list, first_object = true, first_field, need_space;

static void new_line(int depth)
{
	if (out_pretty)
		printf("\n%*s", depth * 4, "");
}

static void json_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c >= 0x7f)	/* names are ASCII; make no invalid UTF-8 */
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

/* Everything up to the value. */
static void start_field(const char *key, const char *label)
{
	if (out_json) {
		if (!first_field)
			putchar(',');
		first_field = false;
		new_line(2);
		json_string(key);
		putchar(':');
		if (out_pretty)
			putchar(' ');
		return;
	}
	if (need_space)
		putchar(' ');
	need_space = true;
	if (label)
		printf("%s ", label);
}

/* Begins the list of objects that is the answer. */
void out_begin(void)
{
	in_list = true;
	if (out_json)
		putchar('[');
}

/* Ends the list. A reader that is gone must not look like success. */
int out_end(void)
{
	if (out_json) {
		if (!first_object)
			new_line(0);
		puts("]");
	}
	if (fflush(stdout) || ferror(stdout))
		return syntax("cannot write the output: %m");
	return SRXE_OK;
}

/* Instead of both, after each object: it is an answer of its own, and due now. */
int out_flush(void)
{
	if (out_json)
		putchar('\n');
	first_object = true;
	if (fflush(stdout) || ferror(stdout))
		return syntax("cannot write the output: %m");
	return SRXE_OK;
}

void out_open(void)
{
	if (out_json) {
		if (!first_object)
			putchar(',');
		if (in_list)
			new_line(1);
		putchar('{');
	}
	first_object = false;
	first_field = true;
	need_space = false;
}

void out_close(void)
{
	if (out_json) {
		new_line(in_list ? 1 : 0);
		putchar('}');
	} else {
		putchar('\n');
	}
}

/* For readers only, not in JSON: punctuation and line breaks. */
void out_text(const char *text)
{
	if (out_json)
		return;
	fputs(text, stdout);
	need_space = *text && text[strlen(text) - 1] != ' ';
}

void out_str(const char *key, const char *label, const char *value)
{
	const char *c;

	start_field(key, label);
	if (out_json) {
		json_string(value);
		return;
	}
	/* A description can hold anything; keep it from steering a terminal. */
	for (c = value; *c; c++)
		putchar(*c >= 0x20 && *c < 0x7f ? *c : '?');
}

void out_int(const char *key, const char *label, long long value)
{
	start_field(key, label);
	printf("%lld", value);
}

void out_uint(const char *key, const char *label, __u64 value)
{
	start_field(key, label);
	printf("%llu", value);
}

/* In hexadecimal for readers, a number in JSON, which has no other. */
void out_hex32(const char *key, const char *label, __u32 value)
{
	start_field(key, label);
	printf(out_json ? "%u" : "0x%08x", value);
}

/* A word that is there or not; in JSON true or false. */
void out_flag(const char *key, const char *label, bool value)
{
	if (out_json) {
		start_field(key, NULL);
		fputs(value ? "true" : "false", stdout);
	} else if (value) {
		start_field(key, NULL);
		fputs(label, stdout);
	}
}

void out_bits(const char *key, const char *label, const struct name *names, __u32 bits)
{
	bool first = true;
	unsigned int bit;

	start_field(key, label);
	if (out_json)
		putchar('[');
	for (bit = 0; bit < 32; bit++) {
		if (!(bits & (1U << bit)))
			continue;
		if (!first)
			putchar(',');
		first = false;
		if (out_json)
			json_string(name_of(names, bit));
		else
			fputs(name_of(names, bit), stdout);
	}
	if (out_json)
		putchar(']');
	else if (first)
		fputs("none", stdout);
}

void out_bytes(const char *key, const char *label, const struct nlattr *attr)
{
	const __u8 *byte = mnl_attr_get_payload(attr);
	size_t i, len = mnl_attr_get_payload_len(attr);

	start_field(key, label);
	if (out_json)
		putchar('"');
	for (i = 0; i < len; i++)
		printf("%02x", byte[i]);
	if (out_json)
		putchar('"');
}

void out_addr(const char *key, const char *label, const struct nlattr *attr)
{
	char text[INET6_ADDRSTRLEN] = "?";
	struct in6_addr addr;

	if (mnl_attr_get_payload_len(attr) == sizeof(addr)) {
		memcpy(&addr, mnl_attr_get_payload(attr), sizeof(addr));
		peer_format(&addr, text);
	}
	out_str(key, label, text);
}

/* Of a queue pair; 0 is none, as of datagrams, or of a peer that is not known yet. */
void out_qpn(const char *key, const struct nlattr *attr)
{
	if (attr_u32(attr))
		out_uint(key, "qpn", attr_u32(attr));
}

/* Local time for readers, seconds since the Epoch in JSON. */
void out_time(const char *key, const char *label, __u64 seconds)
{
	time_t t = (time_t)seconds;
	char text[64];
	struct tm tm;

	if (out_json) {
		out_uint(key, label, seconds);
		return;
	}
	if (!localtime_r(&t, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S%z", &tm))
		snprintf(text, sizeof(text), "%llu", seconds);
	out_str(key, label, text);
}
