// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UDP port 4791 of each network namespace: init_net's from module load to
 * unload, another's from its first link to its last, or to its own end.
 *
 * init_net's is held even without a link because of stock rdma_rxe. It shares
 * our driver id, takes any device with that id for its own, whatever the
 * namespace, and writes into it. It binds init_net's port when it is loaded, so
 * whoever comes second does not get in.
 */
#include <linux/in.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "rxe.h"
#include "srxe_hooks.h"
#include "srxe_link.h"
#include "srxe_netns.h"

/**
 * struct srxe_port - port 4791 of one namespace
 * @entry: in ports, or empty once the namespace is gone
 * @net: the namespace, not held; not to be used once @entry is empty
 * @users: links, and the module itself for init_net
 * @sk4: socket for IPv4
 * @sk6: socket for IPv6, NULL where there is none
 *
 * An object of its own, because a link can be released after its namespace.
 */
struct srxe_port {
	struct list_head	entry;
	struct net		*net;
	unsigned int		users;
	struct socket		*sk4;
	struct socket		*sk6;
};

/* Protects ports and all that hangs there. Sockets are opened and closed under it. */
static DEFINE_MUTEX(ports_lock);
static LIST_HEAD(ports);

/* Of init_net, from module load to unload. */
static struct srxe_port *init_port;

static struct srxe_port *port_find(const struct net *net)
{
	struct srxe_port *port;

	lockdep_assert_held(&ports_lock);

	list_for_each_entry(port, &ports, entry)
		if (net_eq(port->net, net))
			return port;
	return NULL;
}

static void port_close(struct srxe_port *port)
{
	lockdep_assert_held(&ports_lock);

	rxe_release_udp_tunnel(port->sk6);
	rxe_release_udp_tunnel(port->sk4);
	port->sk6 = NULL;
	port->sk4 = NULL;
	list_del_init(&port->entry);
}

static int tunnel_open(struct net *net, bool ipv6, struct socket **sock)
{
	struct socket *sk;
	int err;

	sk = rxe_setup_udp_tunnel(net, htons(ROCE_V2_UDP_DPORT), ipv6);
	err = PTR_ERR_OR_ZERO(sk);
	if (!err)
		*sock = sk;
	else if (err == -EADDRINUSE)
		pr_err("UDP port %d is in use: is rdma_rxe loaded? If so: rmmod rdma_rxe, and try again\n",
		       ROCE_V2_UDP_DPORT);
	else if (err != -EAFNOSUPPORT)
		pr_err("cannot open UDP port %d for IPv%d: error %d\n",
		       ROCE_V2_UDP_DPORT, ipv6 ? 6 : 4, err);
	return err;
}

static int port_open(struct srxe_port *port)
{
	int err;

	lockdep_assert_held(&ports_lock);

	err = tunnel_open(port->net, false, &port->sk4);
	if (err)
		return err;
	if (!IS_ENABLED(CONFIG_IPV6))
		return 0;
	err = tunnel_open(port->net, true, &port->sk6);
	if (!err)
		return 0;
	if (err == -EAFNOSUPPORT) {
		pr_info_once("IPv6 is off, links serve IPv4 only\n");
		return 0;
	}
	rxe_release_udp_tunnel(port->sk4);
	return err;
}

/**
 * srxe_port_get() - have UDP port 4791 of a namespace open
 * @net: the namespace; the caller makes sure that it does not go meanwhile
 *
 * Context: process, may sleep.
 * Return: the port, for srxe_port_put(); or an ERR_PTR, -EADDRINUSE if somebody
 * else has the port.
 */
struct srxe_port *srxe_port_get(struct net *net)
{
	struct srxe_port *port;
	int err;

	mutex_lock(&ports_lock);
	port = port_find(net);
	if (port)
		goto found;

	port = kzalloc(sizeof(*port), GFP_KERNEL);
	if (!port) {
		port = ERR_PTR(-ENOMEM);
		goto out;
	}
	port->net = net;
	err = port_open(port);
	if (err) {
		kfree(port);
		port = ERR_PTR(err);
		goto out;
	}
	list_add(&port->entry, &ports);
found:
	port->users++;
out:
	mutex_unlock(&ports_lock);
	return port;
}

/**
 * srxe_port_put() - one user less
 * @port: from srxe_port_get()
 *
 * The last one closes the sockets, unless the namespace's end already did.
 *
 * Context: process, may sleep.
 */
void srxe_port_put(struct srxe_port *port)
{
	mutex_lock(&ports_lock);
	if (--port->users) {
		mutex_unlock(&ports_lock);
		return;
	}
	port_close(port);
	mutex_unlock(&ports_lock);
	kfree(port);
}

/*
 * A namespace ends. Its netdevs are still there: they go after us. So links do
 * not outlive it, and neither do queue pairs with their sockets.
 */
static void __net_exit pernet_exit(struct net *net)
{
	struct srxe_port *port;

	srxe_link_drop_net(net);

	mutex_lock(&ports_lock);
	port = port_find(net);
	if (port)
		port_close(port);
	mutex_unlock(&ports_lock);
}

static struct pernet_operations pernet_ops = {
	.exit = pernet_exit,
};

/*
 * Stock rdma_rxe would fail to bind and say neither why nor what to do. Tell,
 * and give the errno that fits.
 */
static int stock_coming(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = data;

	if (state != MODULE_STATE_COMING || strcmp(mod->name, "rdma_rxe"))
		return NOTIFY_DONE;
	pr_err("rdma_rxe cannot be loaded beside %s: delete its links, rmmod %s, and try again\n",
	       KBUILD_MODNAME, KBUILD_MODNAME);
	return notifier_from_errno(-EADDRINUSE);
}

static struct notifier_block stock_notifier = {
	.notifier_call = stock_coming,
};

/**
 * srxe_pernet_init() - take init_net's port and watch namespaces go
 *
 * Context: process, module load.
 * Return: 0, -EADDRINUSE if stock rdma_rxe (or anybody) has the port, or
 * another error.
 */
int srxe_pernet_init(void)
{
	int err;

	init_port = srxe_port_get(&init_net);
	if (IS_ERR(init_port))
		return PTR_ERR(init_port);
	err = register_pernet_device(&pernet_ops);
	if (err)
		goto err_port;
	err = register_module_notifier(&stock_notifier);
	if (err)
		goto err_pernet;
	return 0;

err_pernet:
	unregister_pernet_device(&pernet_ops);
err_port:
	srxe_port_put(init_port);
	return err;
}

/**
 * srxe_pernet_exit() - close what srxe_pernet_init() opened
 *
 * Links pin the module, so only init_net's port is still open.
 *
 * Context: process, module unload; last of our code but for the caller.
 */
void srxe_pernet_exit(void)
{
	unregister_module_notifier(&stock_notifier);
	unregister_pernet_device(&pernet_ops);
	srxe_port_put(init_port);

	/* A packet may still be in the receive function of a socket just closed... */
	synchronize_net();
	/* ... and a task between dropping its pin on the module and leaving our code. */
	synchronize_rcu_tasks();
}

/**
 * srxe_net() - network namespace of a link
 * @rxe: device of the link
 *
 * Context: any.
 * Return: the namespace, good until the device is unregistered.
 */
struct net *srxe_net(const struct rxe_dev *rxe)
{
	return rxe->sec.net;
}
