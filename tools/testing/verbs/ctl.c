// SPDX-License-Identifier: GPL-2.0
/* srxe_traffic ctl SOCKET COMMAND: one command to a --hold end, its answer to stdout. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "traffic.h"

static int dial(const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int64_t deadline = now_ms() + 10000;
	int fd;

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	do {
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (fd < 0 || !connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
			return fd;
		close(fd);
		usleep(50000);
	} while (now_ms() < deadline);
	return -1;
}

int ctl_main(const char *path, int argc, char **argv)
{
	char line[LINE_LEN] = "";
	int fd = dial(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r+");
	int status = 1, c;

	if (!f) {
		fprintf(stderr, "srxe_traffic: nobody at %s\n", path);
		return 2;
	}
	for (int i = 0; i < argc; i++) {
		strncat(line, argv[i], sizeof(line) - strlen(line) - 2);
		strncat(line, " ", sizeof(line) - strlen(line) - 1);
	}
	line[strcspn(line, "\n")] = 0;
	if (*line)
		line[strlen(line) - 1] = '\n';
	fputs(line, f);
	fflush(f);
	shutdown(fd, SHUT_WR);
	if (!strcmp(line, "quit\n"))
		status = 0;
	while ((c = fgetc(f)) != EOF) {
		putchar(c);
		status = 0;
	}
	fclose(f);
	return status;
}
