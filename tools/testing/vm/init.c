// SPDX-License-Identifier: GPL-2.0
/*
 * First program of a guest, from the initramfs.  Makes a root file system of
 * the host's (read-only, over 9p) under a tmpfs, prepares it and hands over to
 * the agent there.
 *
 * In C because a fork and exec takes a quarter of a second on an emulated
 * debug kernel: a shell script with the same contents doubles the boot time.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define P9_OPTIONS	"trans=virtio,version=9p2000.L,msize=512000,"
#define RUN_DIR		"/run/srxe-vm"
#define LIST_MAX	65536

/* What goes wrong here is on the console; the runner sees no "ready" and fails. */
static void die(const char *what, const char *which)
{
	fprintf(stderr, "srxe-vm: init: %s %s: %s\n", what, which, strerror(errno));
	reboot(RB_AUTOBOOT);
	exit(1);
}

static size_t read_file(const char *path, char *buffer, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return 0;
	length = read(fd, buffer, size - 1);
	close(fd);
	if (length < 0)
		length = 0;
	buffer[length] = '\0';
	return length;
}

static void must_mount(const char *source, const char *target, const char *type,
		       unsigned long flags, const char *options)
{
	if (mkdir(target, 0755) && errno != EEXIST && errno != EROFS)
		die("make directory", target);
	if (mount(source, target, type, flags, options))
		die("mount on", target);
}

/* Not every kernel has all of these. */
static void may_mount(const char *type, const char *target)
{
	mount(type, target, type, 0, NULL);
}

static void load_modules(void)
{
	static char list[LIST_MAX];
	char *rest = list, *name;

	if (!read_file("/modules.load", list, sizeof(list)))
		return;
	while ((name = strsep(&rest, "\n")) && *name) {
		char path[256];
		int fd;

		snprintf(path, sizeof(path), "/modules/%s", name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			die("load module", name);
		close(fd);
	}
}

static void make_root(void)
{
	/* cache=loose: neither side writes to the export while the guest lives. */
	must_mount("root", "/lower", "9p", MS_RDONLY, P9_OPTIONS "cache=loose");
	must_mount("tmpfs", "/upper", "tmpfs", 0, "mode=755");
	if (mkdir("/upper/data", 0755) || mkdir("/upper/work", 0755))
		die("make directories below", "/upper");
	must_mount("overlay", "/new", "overlay", 0,
		   "lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work");
	must_mount("/proc", "/new/proc", NULL, MS_MOVE, NULL);
	must_mount("/sys", "/new/sys", NULL, MS_MOVE, NULL);
	must_mount("/dev", "/new/dev", NULL, MS_MOVE, NULL);
	if (chdir("/new") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		die("change root to", "/new");
}

static void fill_root(void)
{
	must_mount("tmpfs", "/run", "tmpfs", 0, "mode=755");
	must_mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777");
	must_mount("tmpfs", "/var/tmp", "tmpfs", 0, "mode=1777");
	must_mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
	must_mount("devpts", "/dev/pts", "devpts", 0, "ptmxmode=666");
	must_mount("run", RUN_DIR, "9p", 0, P9_OPTIONS "cache=none");
	may_mount("debugfs", "/sys/kernel/debug");
	may_mount("tracefs", "/sys/kernel/tracing");
	may_mount("configfs", "/sys/kernel/config");
	if (symlink("/proc/self/fd", "/dev/fd") || symlink("/proc/self/fd/0", "/dev/stdin") ||
	    symlink("/proc/self/fd/1", "/dev/stdout") || symlink("/proc/self/fd/2", "/dev/stderr"))
		die("make links in", "/dev");
}

/* The modules of the guest's kernel need not be those the host has installed. */
static void bind_modules(void)
{
	char source[4096], target[256];
	struct utsname name;

	uname(&name);
	snprintf(target, sizeof(target), "/lib/modules/%s", name.release);
	if (!read_file(RUN_DIR "/modules", source, sizeof(source)) || !strcmp(source, target))
		return;
	if (mkdir("/lib/modules", 0755) && errno != EEXIST)
		die("make directory", "/lib/modules");
	must_mount(source, target, NULL, MS_BIND, NULL);
}

static int interface_up(int fd, struct ifreq *request)
{
	if (ioctl(fd, SIOCGIFFLAGS, request))
		return -1;
	request->ifr_flags |= IFF_UP;
	return ioctl(fd, SIOCSIFFLAGS, request);
}

static void rename_interface(int fd, const char *from, const char *to)
{
	struct ifreq request = {};

	snprintf(request.ifr_name, IFNAMSIZ, "%.15s", from);
	snprintf(request.ifr_newname, IFNAMSIZ, "%.15s", to);
	if (ioctl(fd, SIOCSIFNAME, &request))
		die("rename interface", from);
}

/* The link for commands to the other guest: 10.255.255.1 and .2. */
static void set_up_control(int fd, int guest)
{
	struct ifreq request = { .ifr_name = "ctl0" };
	struct sockaddr_in *address = (struct sockaddr_in *)&request.ifr_addr;

	address->sin_family = AF_INET;
	address->sin_addr.s_addr = htonl(0x0affff01 + guest);
	if (ioctl(fd, SIOCSIFADDR, &request) || interface_up(fd, &request))
		die("set up interface", "ctl0");
}

/*
 * data0 carries RDMA, ctl0 the commands to the other guest, so that nothing a
 * test does to data0 cuts them off.  The runner's MAC addresses tell which is which.
 */
static void set_up_network(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo" };
	DIR *dir = opendir("/sys/class/net");
	struct dirent *entry;

	if (fd < 0 || !dir || interface_up(fd, &request))
		die("set up", "network");
	while ((entry = readdir(dir))) {
		char path[300], mac[32];
		unsigned int kind, guest;

		snprintf(path, sizeof(path), "/sys/class/net/%s/address", entry->d_name);
		if (!read_file(path, mac, sizeof(mac)) ||
		    sscanf(mac, "52:54:00:%x:00:%x", &kind, &guest) != 2)
			continue;
		rename_interface(fd, entry->d_name, kind == 0xda ? "data0" : "ctl0");
		if (kind != 0xda)
			set_up_control(fd, guest);
	}
	closedir(dir);
	close(fd);
}

/* Gives the virtio-serial ports their names: /dev/srxe.out, /dev/srxe.ctl. */
static void name_ports(void)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	struct dirent *entry;

	if (!dir)
		die("open", "/sys/class/virtio-ports");
	while ((entry = readdir(dir))) {
		char path[300], name[64], link[80];

		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", entry->d_name);
		if (!read_file(path, name, sizeof(name)))
			continue;
		name[strcspn(name, "\n")] = '\0';
		snprintf(link, sizeof(link), "/dev/%s", name);
		if (symlink(entry->d_name, link))
			die("make link", link);
	}
	closedir(dir);
}

int main(void)
{
	/* Memory regions are pinned memory. */
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	must_mount("proc", "/proc", "proc", 0, NULL);
	must_mount("sysfs", "/sys", "sysfs", 0, NULL);
	must_mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	load_modules();
	make_root();
	fill_root();
	bind_modules();
	set_up_network();
	name_ports();
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	sethostname("guest", 5);
	execl("/bin/bash", "bash", RUN_DIR "/agent", NULL);
	die("run", "/bin/bash");
	return 1;
}
