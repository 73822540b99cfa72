// SPDX-License-Identifier: GPL-2.0
/* The TCP side channel: text lines, every wait bounded. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "traffic.h"

struct oob {
	int fd;
	char local[INET6_ADDRSTRLEN];
	char buf[2 * LINE_LEN];
	size_t have;
};

static struct oob *oob_new(int fd, char *reason)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct oob *c = calloc(1, sizeof(*c));
	int one = 1;

	if (!c)
		goto err;
	c->fd = fd;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (getsockname(fd, (struct sockaddr *)&ss, &len) ||
	    getnameinfo((struct sockaddr *)&ss, len, c->local, sizeof(c->local), NULL, 0,
			NI_NUMERICHOST))
		goto err;
	c->local[strcspn(c->local, "%")] = 0;
	return c;
err:
	snprintf(reason, REASON_LEN, "side channel: no local address");
	free(c);
	close(fd);
	return NULL;
}

struct oob *oob_listen(int port, char *reason)
{
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	int fd = socket(AF_INET6, SOCK_STREAM, 0), conn, one = 1, zero = 0;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || listen(fd, 1)) {
		snprintf(reason, REASON_LEN, "listen on port %d: %s", port, strerror(errno));
		close(fd);
		return NULL;
	}
	fprintf(stderr, "listening on port %d\n", port);
	conn = accept(fd, NULL, NULL);
	close(fd);
	if (conn < 0) {
		snprintf(reason, REASON_LEN, "accept: %s", strerror(errno));
		return NULL;
	}
	return oob_new(conn, reason);
}

static int connect_once(const struct addrinfo *ai)
{
	int fd = -1;

	for (; ai; ai = ai->ai_next) {
		fd = socket(ai->ai_family, ai->ai_socktype, ai->ai_protocol);
		if (fd < 0)
			continue;
		if (!connect(fd, ai->ai_addr, ai->ai_addrlen))
			return fd;
		close(fd);
	}
	return -1;
}

/* The server may come up after us: try again until the deadline. */
struct oob *oob_connect(const char *host, int port, int timeout_s, char *reason)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *ai;
	int64_t deadline = now_ms() + timeout_s * 1000ll;
	char service[16];
	int fd, err;

	snprintf(service, sizeof(service), "%d", port);
	err = getaddrinfo(host, service, &hints, &ai);
	if (err) {
		snprintf(reason, REASON_LEN, "%s: %s", host, gai_strerror(err));
		return NULL;
	}
	while ((fd = connect_once(ai)) < 0 && now_ms() < deadline)
		usleep(100000);
	freeaddrinfo(ai);
	if (fd < 0) {
		snprintf(reason, REASON_LEN, "no server at %s port %d within %d s", host, port,
			 timeout_s);
		return NULL;
	}
	return oob_new(fd, reason);
}

int oob_fd(const struct oob *c)
{
	return c->fd;
}

const char *oob_local_addr(const struct oob *c)
{
	return c->local;
}

int oob_send(struct oob *c, const char *fmt, ...)
{
	char line[LINE_LEN];
	size_t done = 0, len;
	va_list ap;
	ssize_t n;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	strcat(line, "\n");
	for (len = strlen(line); done < len; done += n) {
		n = send(c->fd, line + done, len - done, MSG_NOSIGNAL);
		if (n <= 0)
			return -1;
	}
	return 0;
}

/* One read; 0 when the peer closed. */
static ssize_t fill(struct oob *c)
{
	ssize_t n = read(c->fd, c->buf + c->have, sizeof(c->buf) - c->have);

	if (n > 0)
		c->have += n;
	return n;
}

int oob_recv(struct oob *c, char *line, size_t len, int ms, char *reason)
{
	int64_t deadline = now_ms() + ms;
	char *end;

	while (!(end = memchr(c->buf, '\n', c->have))) {
		struct pollfd p = { .fd = c->fd, .events = POLLIN };
		int64_t left = deadline - now_ms();
		int n = left > 0 ? poll(&p, 1, (int)left) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			snprintf(reason, REASON_LEN, "no word from the peer within %d ms", ms);
			return -ETIMEDOUT;
		}
		if (fill(c) <= 0) {
			snprintf(reason, REASON_LEN, "the peer closed the side channel");
			return -EPIPE;
		}
	}
	*end = 0;
	snprintf(line, len, "%s", c->buf);
	c->have -= end + 1 - c->buf;
	memmove(c->buf, end + 1, c->have);
	return 0;
}

/* Called when the socket is readable: -EPIPE when the peer is gone, else 0. */
int oob_peek(struct oob *c)
{
	return !memchr(c->buf, '\n', c->have) && fill(c) <= 0 ? -EPIPE : 0;
}

void oob_close(struct oob *c)
{
	if (c)
		close(c->fd);
	free(c);
}
