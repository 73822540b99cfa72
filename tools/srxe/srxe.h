/* SPDX-License-Identifier: GPL-2.0 */
/*
 * srxe: shared declarations. Functions return 0 or an exit status; what is
 * wrong has been printed by then.
 */
#ifndef SRXE_H
#define SRXE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>
#include <libmnl/libmnl.h>
#include <rdma/srxe_netlink.h>
#include <rdma/srxe_wire.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define ATTRIBUTE(a)	__attribute__((a))

/* Exit status, as iproute2 has it */
enum {
	SRXE_OK,
	SRXE_SYNTAX,	/* not understood, or an input that cannot be used */
	SRXE_KERNEL,	/* the kernel said no */
};

/* srxe.c */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
};

extern bool show_details;

int run_command(const struct command *commands, const char *what, const char *fallback,
		int argc, char **argv);
bool abbreviates(const char *word, const char *of);
int need_value(int argc, char **argv);
int syntax(const char *fmt, ...) ATTRIBUTE(format(printf, 1, 2));
int syntax_no_dev(void);

int link_main(int argc, char **argv);
int sa_main(int argc, char **argv);
int psk_main(int argc, char **argv);
int psk_add(int argc, char **argv);
int monitor_main(int argc, char **argv);

/* args.c: numbers and names */
struct name {
	unsigned int value;
	const char *name;
	bool reserved;	/* understood, not offered: the kernel refuses it so far */
};

extern const struct name mode_names[], suite_names[], kind_names[], unkeyed_names[],
	sa_state_names[], psk_state_names[], psk_match_names[], event_names[],
	failure_names[], auth_cause_names[], key_end_names[];

const char *name_of(const struct name *names, unsigned int value);
int value_of(const struct name *names, const char *word, const char *what,
	     unsigned int *value);
int bits_of(const struct name *names, const char *list, const char *what, __u32 *bits);
int parse_seconds(const char *word, __u32 *seconds);

/* peer.c: peers as keys and tombstones name them */
#define PEER_DESC_MAX	256

int peer_parse(const char *word, char desc[PEER_DESC_MAX]);
int peer_parse_untagged(const char *word, char desc[PEER_DESC_MAX]);
const char *peer_of(const char *desc);
void peer_format(const struct in6_addr *addr, char text[INET6_ADDRSTRLEN]);
bool peer_is_keyspec(const char *word);

/* key.c: key material, never in an argument, always wiped */
struct psk {
	__u8 byte[SRXE_PSK_LEN];
};

int psk_read_stdin(struct psk *psk);
int psk_read_file(struct psk *psk, const char *path);
int psk_generate(struct psk *psk);
int psk_parse(struct psk *psk, const __u8 *buf, size_t len);
void psk_wipe(struct psk *psk);

/* genl.c: one request at a time to the kernel's family, and its events */
typedef int (*reply_fn)(const struct nlattr **tb, void *data);
typedef int (*event_fn)(__u8 cmd, const struct nlattr **tb, void *data);

int genl_open(void);
void genl_close(void);
struct nlmsghdr *genl_request(__u8 cmd, __u16 flags);
int genl_talk(struct nlmsghdr *nlh, unsigned int max_attr, reply_fn reply, void *data,
	      const char *object);
int genl_join(const char *group);
int genl_events(unsigned int max_attr, event_fn event, int (*loss)(void), void *data);

static inline __u32 attr_u32(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_u32(attr) : 0;
}

static inline __u8 attr_u8(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_u8(attr) : 0;
}

static inline __u64 attr_u64(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_u64(attr) : 0;
}

static inline const char *attr_str(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_str(attr) : "";
}

/* show.c: the objects of one link, or of all */
struct listing {
	__u8		get;		/* the command that asks for them */
	__u16		dev_name;	/* the attribute that names their link */
	unsigned int	max_attr;
	bool		one_per_link;	/* a link has one: named, no dump */
	reply_fn	show_one;
};

int parse_dev(int argc, char **argv, const char **dev);
int show_listing(const struct listing *list, int argc, char **argv);

/* out.c: one description of an object, printed as text or as JSON */
extern bool out_json, out_pretty;

void out_begin(void);
int out_end(void);
int out_flush(void);
void out_open(void);
void out_close(void);
void out_text(const char *text);
void out_str(const char *key, const char *label, const char *value);
void out_int(const char *key, const char *label, long long value);
void out_uint(const char *key, const char *label, __u64 value);
void out_hex32(const char *key, const char *label, __u32 value);
void out_flag(const char *key, const char *label, bool value);
void out_bits(const char *key, const char *label, const struct name *names, __u32 bits);
void out_bytes(const char *key, const char *label, const struct nlattr *attr);
void out_addr(const char *key, const char *label, const struct nlattr *attr);
void out_qpn(const char *key, const struct nlattr *attr);
void out_time(const char *key, const char *label, __u64 seconds);

#endif /* SRXE_H */
