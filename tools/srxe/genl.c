// SPDX-License-Identifier: GPL-2.0
/* The netlink socket: one request at a time, what the kernel says to it, and events. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "srxe.h"

#define MAX_ATTR	64
/* For events, as far as net.core.rmem_max lets us. */
#define EVENT_BUFFER	(1024 * 1024)

static struct mnl_socket *sock;
static unsigned int portid;
static __u32 seq;
static __u16 family;
static char sndbuf[4096];
static char rcvbuf[32768];

struct talk {
	unsigned int	max_attr;
	reply_fn	reply;
	void		*data;
	const char	*object;
	int		status;
	bool		done;
};

void genl_close(void)
{
	if (sock)
		mnl_socket_close(sock);
	sock = NULL;
}

static struct nlmsghdr *new_message(__u16 type, __u8 cmd, __u8 version, __u16 flags)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;

	nlh = mnl_nlmsg_put_header(sndbuf);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	nlh->nlmsg_seq = ++seq;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = version;
	return nlh;
}

/* Begins a request. flags: NLM_F_DUMP or 0. To be handed to genl_talk(). */
struct nlmsghdr *genl_request(__u8 cmd, __u16 flags)
{
	return new_message(family, cmd, SRXE_GENL_VERSION, flags);
}

/* What to do about an error that the kernel has no words for. */
static const char *remedy(int err)
{
	switch (err) {
	case ENOENT:	/* our family itself: it has words for what it does not find */
		return ": is the module loaded (modprobe secure_rxe)?";
	case EPERM:
		return ": this needs CAP_NET_ADMIN in the network namespace of the link";
	case EOPNOTSUPP:
		return ": the loaded secure_rxe does not know this; does the tool's version fit?";
	default:
		return "";
	}
}

/* What the kernel's own words leave open: rdma lists links of all namespaces. */
static const char *addendum(int err)
{
	return err == ENODEV ? "; those of another one: ip netns exec" : "";
}

static void say(const char *object, int err, const char *extack)
{
	fprintf(stderr, "srxe: %s%s%s%s\n", object ? object : "", object ? ": " : "",
		extack ? extack : strerror(err), extack ? addendum(err) : remedy(err));
}

/* The kernel's own words, behind the header of an error or of a dump's end. */
static const char *extack_of(const struct nlmsghdr *nlh, size_t offset)
{
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	mnl_attr_for_each(attr, nlh, offset) {
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			return mnl_attr_get_str(attr);
	}
	return NULL;
}

static int on_error(const struct nlmsghdr *nlh, void *data)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);
	struct talk *talk = data;
	size_t offset = sizeof(*e);

	talk->done = true;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*e)) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	if (!e->error)
		return MNL_CB_STOP;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		offset += mnl_nlmsg_get_payload_len(&e->msg);
	say(talk->object, -e->error, extack_of(nlh, offset));
	talk->status = SRXE_KERNEL;
	return MNL_CB_STOP;
}

static int on_dump_end(const struct nlmsghdr *nlh, void *data)
{
	const int *err = mnl_nlmsg_get_payload(nlh);
	struct talk *talk = data;

	talk->done = true;
	if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(*err) && *err < 0) {
		say(talk->object, -*err, extack_of(nlh, sizeof(*err)));
		talk->status = SRXE_KERNEL;
	}
	return MNL_CB_STOP;
}

struct table {
	const struct nlattr	*tb[MAX_ATTR];
	unsigned int		max;
};

/* Attributes of a newer kernel are left out. */
static int on_attr(const struct nlattr *attr, void *data)
{
	struct table *t = data;

	if (mnl_attr_get_type(attr) <= t->max)
		t->tb[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

static int on_reply(const struct nlmsghdr *nlh, void *data)
{
	struct talk *talk = data;
	struct table t = { .max = talk->max_attr };

	if (mnl_attr_parse(nlh, sizeof(struct genlmsghdr), on_attr, &t) < 0)
		return MNL_CB_ERROR;
	if (talk->reply && !talk->status)
		talk->status = talk->reply(t.tb, talk->data);
	return MNL_CB_OK;
}

static mnl_cb_t control[NLMSG_MIN_TYPE] = {
	[NLMSG_ERROR] = on_error,
	[NLMSG_DONE] = on_dump_end,
};

/*
 * Sends a request and reads all of the answer. reply is called for every object
 * in it; object names what it is about in messages, NULL for nothing in particular.
 */
int genl_talk(struct nlmsghdr *nlh, unsigned int max_attr, reply_fn reply, void *data,
	      const char *object)
{
	struct talk talk = {
		.max_attr = max_attr < MAX_ATTR ? max_attr : MAX_ATTR - 1,
		.reply = reply,
		.data = data,
		.object = object,
	};
	ssize_t n = mnl_socket_sendto(sock, nlh, nlh->nlmsg_len);

	while (n >= 0 && !talk.done) {
		n = mnl_socket_recvfrom(sock, rcvbuf, sizeof(rcvbuf));
		if (n >= 0)
			n = mnl_cb_run2(rcvbuf, (size_t)n, seq, portid, on_reply, &talk,
					control, ARRAY_SIZE(control));
	}
	if (n < 0) {
		say(object, errno, NULL);
		return SRXE_KERNEL;
	}
	return talk.status;
}

/* A group of the family; data: its name and where the number goes. */
struct group {
	const char	*name;
	__u32		id;
};

static int on_group(const struct nlattr *attr, void *data)
{
	struct group *group = data;
	struct table t = { .max = CTRL_ATTR_MCAST_GRP_MAX };

	if (mnl_attr_parse_nested(attr, on_attr, &t) < 0)
		return MNL_CB_ERROR;
	if (t.tb[CTRL_ATTR_MCAST_GRP_NAME] && t.tb[CTRL_ATTR_MCAST_GRP_ID] &&
	    strcmp(attr_str(t.tb[CTRL_ATTR_MCAST_GRP_NAME]), group->name) == 0)
		group->id = attr_u32(t.tb[CTRL_ATTR_MCAST_GRP_ID]);
	return MNL_CB_OK;
}

static int on_family(const struct nlattr **tb, void *data)
{
	if (tb[CTRL_ATTR_FAMILY_ID])
		family = mnl_attr_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	if (data && tb[CTRL_ATTR_MCAST_GROUPS])
		mnl_attr_parse_nested(tb[CTRL_ATTR_MCAST_GROUPS], on_group, data);
	return SRXE_OK;
}

static int open_socket(void)
{
	int on = 1;

	sock = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!sock || mnl_socket_bind(sock, 0, MNL_SOCKET_AUTOPID) < 0) {
		say("netlink socket", errno, NULL);
		return SRXE_KERNEL;
	}
	portid = mnl_socket_get_portid(sock);
	seq = (__u32)time(NULL);
	/* Every kernel that has secure-rxe has these. */
	mnl_socket_setsockopt(sock, NETLINK_CAP_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(sock, NETLINK_EXT_ACK, &on, sizeof(on));
	return SRXE_OK;
}

static int find_family(struct group *group)
{
	struct nlmsghdr *nlh;

	nlh = new_message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, 0);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, SRXE_GENL_NAME);
	return genl_talk(nlh, CTRL_ATTR_MAX, on_family, group, SRXE_GENL_NAME);
}

/* Opens the socket and finds the family, once. */
int genl_open(void)
{
	if (sock)
		return SRXE_OK;
	return open_socket() ?: find_family(NULL);
}

/* Opens the socket for events of that group, and for nothing else. */
int genl_join(const char *name)
{
	struct group group = { .name = name };
	int size = EVENT_BUFFER, status;

	status = open_socket() ?: find_family(&group);
	if (status)
		return status;
	if (!group.id) {
		say(name, EOPNOTSUPP, NULL);
		return SRXE_KERNEL;
	}
	setsockopt(mnl_socket_get_fd(sock), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (mnl_socket_setsockopt(sock, NETLINK_ADD_MEMBERSHIP, &group.id, sizeof(group.id))) {
		say(name, errno, NULL);
		return SRXE_KERNEL;
	}
	return SRXE_OK;
}

struct listen {
	unsigned int	max_attr;
	event_fn	event;
	void		*data;
	int		status;
};

static int on_event(const struct nlmsghdr *nlh, void *data)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct listen *listen = data;
	struct table t = { .max = listen->max_attr };

	if (nlh->nlmsg_type != family || mnl_nlmsg_get_payload_len(nlh) < sizeof(*genl))
		return MNL_CB_OK;
	if (mnl_attr_parse(nlh, sizeof(*genl), on_attr, &t) < 0)
		return MNL_CB_ERROR;
	listen->status = listen->event(genl->cmd, t.tb, listen->data);
	return listen->status ? MNL_CB_STOP : MNL_CB_OK;
}

/*
 * Waits for events and calls event for each, or loss if some did not get here.
 * To be called again and again; returns other than 0 if that is of no use.
 */
int genl_events(unsigned int max_attr, event_fn event, int (*loss)(void), void *data)
{
	struct listen listen = { .max_attr = max_attr, .event = event, .data = data };
	ssize_t n = mnl_socket_recvfrom(sock, rcvbuf, sizeof(rcvbuf));

	if (n < 0 && errno == ENOBUFS)
		return loss();
	if (n < 0 && errno == EINTR)
		return SRXE_OK;
	if (n < 0 || mnl_cb_run(rcvbuf, (size_t)n, 0, 0, on_event, &listen) < 0) {
		say("events", errno, NULL);
		return SRXE_KERNEL;
	}
	return listen.status;
}
