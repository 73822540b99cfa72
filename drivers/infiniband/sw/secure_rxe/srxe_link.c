// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Links: from "rdma link add" to the release of the device.
 *
 * A link holds a reference to the module, so unloading says busy while there
 * is one, and there is nothing to unregister when it happens.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_hooks.h"
#include "srxe_link.h"
#include "srxe_netns.h"
#ifndef SRXE_PLAIN
#include "srxe_policy.h"
#endif

/* Protects links. Not held while a device is registered or unregistered. */
static DEFINE_MUTEX(links_lock);
static LIST_HEAD(links);

/* The look-up before a link is made does not keep a second one from being made. */
static bool netdev_taken(const struct net_device *ndev)
{
	struct net_device *other;
	struct rxe_dev *rxe;

	lockdep_assert_held(&links_lock);

	list_for_each_entry(rxe, &links, sec.entry) {
		other = srxe_netdev_get(rxe);
		dev_put(other);
		if (other == ndev)
			return true;
	}
	return false;
}

static int link_list(struct rxe_dev *rxe, const struct net_device *ndev)
{
	int err = 0;

	mutex_lock(&links_lock);
	if (netdev_taken(ndev))
		err = -EEXIST;
	else
		list_add_tail(&rxe->sec.entry, &links);
	mutex_unlock(&links_lock);

	if (err)
		pr_err("%s already has a link\n", netdev_name(ndev));
	return err;
}

static void link_unlist(struct rxe_dev *rxe)
{
	mutex_lock(&links_lock);
	list_del(&rxe->sec.entry);
	mutex_unlock(&links_lock);
}

#ifndef SRXE_PLAIN
static int protection_attach(struct rxe_dev *rxe, const char *name)
{
	return srxe_policy_attach(rxe, name);
}

static void protection_detach(struct rxe_dev *rxe)
{
	srxe_policy_detach(rxe);
}
#else
static int protection_attach(struct rxe_dev *rxe, const char *name)
{
	return 0;
}

static void protection_detach(struct rxe_dev *rxe)
{
}
#endif

/**
 * srxe_link_attach() - give a device its namespace, port, policy and pin
 * @rxe: device that is about to be registered
 * @name: under what name
 *
 * Undone by srxe_link_release(), which is called whether registration works
 * out or not.
 *
 * Context: process, may sleep. The namespace cannot go: whoever asks for the
 * link has a socket in it.
 * Return: 0, -EADDRINUSE if somebody else has UDP port 4791 in the namespace,
 * -EEXIST if the netdev has a link, or another error.
 */
int srxe_link_attach(struct rxe_dev *rxe, const char *name)
{
	struct net_device *ndev = srxe_netdev_get(rxe);
	int err;

	if (!ndev)
		return -ENODEV;
	/* fails while the module is being unloaded */
	err = -ENODEV;
	if (!try_module_get(THIS_MODULE))
		goto out;

	rxe->sec.net = dev_net(ndev);
	rxe->sec.port = srxe_port_get(rxe->sec.net);
	err = PTR_ERR_OR_ZERO(rxe->sec.port);
	if (err)
		goto err_module;
	err = protection_attach(rxe, name);
	if (err)
		goto err_port;
	err = link_list(rxe, ndev);
	if (err)
		goto err_protection;
	rxe->sec.pinned = true;
	goto out;

err_protection:
	protection_detach(rxe);
err_port:
	srxe_port_put(rxe->sec.port);
err_module:
	module_put(THIS_MODULE);
out:
	dev_put(ndev);
	return err;
}

/**
 * srxe_link_release() - undo srxe_link_attach()
 * @rxe: device that is about to be freed; nobody else knows it any more
 *
 * Context: process, may sleep.
 */
void srxe_link_release(struct rxe_dev *rxe)
{
	if (!rxe->sec.pinned)
		return;
	link_unlist(rxe);
	protection_detach(rxe);
	srxe_port_put(rxe->sec.port);
	/* srxe_pernet_exit() waits until we are out of here */
	module_put(THIS_MODULE);
}

/*
 * The netdev may have gone, or moved to another namespace, while its link was
 * made: the event for it came too early to find the link. From now on it would
 * find it, so one look under the lock of these events is enough.
 */
static int link_confirm(struct net_device *ndev)
{
	struct rxe_dev *rxe = rxe_get_dev_from_net(ndev);
	bool gone;

	if (!rxe)
		return -ENODEV;

	rtnl_lock();
	gone = ndev->reg_state != NETREG_REGISTERED ||
	       !net_eq(dev_net(ndev), srxe_net(rxe));
	rtnl_unlock();

	if (gone) {
		ib_unregister_device_and_put(&rxe->ib_dev);
		return -ENODEV;
	}
	ib_device_put(&rxe->ib_dev);
	return 0;
}

/**
 * srxe_link_add() - make a link
 * @name: of the RDMA device to be
 * @ndev: its netdev, held by the caller
 *
 * Context: process, may sleep, RTNL not held.
 * Return: 0 or an error: as srxe_link_attach() gives them, -EEXIST if the name
 * is taken, -ENODEV if the netdev went away meanwhile.
 */
int srxe_link_add(const char *name, struct net_device *ndev)
{
	int err;

	err = rxe_net_add(name, ndev);
	/* the core's way to say that the name is taken */
	if (err == -ENFILE) {
		pr_err("there is an RDMA device %s already\n", name);
		return -EEXIST;
	}
	if (err)
		return err;
	err = link_confirm(ndev);
	if (err)
		pr_err("%s: netdev %s went away while the link was made\n",
		       name, netdev_name(ndev));
	return err;
}

static struct rxe_dev *link_of_net(const struct net *net)
{
	struct rxe_dev *rxe;

	mutex_lock(&links_lock);
	list_for_each_entry(rxe, &links, sec.entry) {
		if (net_eq(rxe->sec.net, net)) {
			/* the device may be unregistered by others, but not be freed */
			get_device(&rxe->ib_dev.dev);
			mutex_unlock(&links_lock);
			return rxe;
		}
	}
	mutex_unlock(&links_lock);
	return NULL;
}

/**
 * srxe_link_drop_net() - unregister every link of a namespace
 * @net: namespace that ends; nobody can make a new link in it
 *
 * Programs that use a link lose it (disassociate_ucontext), they do not hold
 * this up.
 *
 * Context: process, may sleep, RTNL not held.
 */
void srxe_link_drop_net(struct net *net)
{
	struct rxe_dev *rxe;

	while ((rxe = link_of_net(net))) {
		/* also waits for an unregistration that is already on its way */
		ib_unregister_device(&rxe->ib_dev);
		put_device(&rxe->ib_dev.dev);
	}
}

/**
 * srxe_link_find() - a link by the name of its device
 * @net: namespace to look in
 * @name: name of the RDMA device
 *
 * Context: process, may sleep.
 * Return: the device, registered, with a reference for ib_device_put(); NULL
 * if the namespace has no such link.
 */
struct rxe_dev *srxe_link_find(struct net *net, const char *name)
{
	struct rxe_dev *rxe, *found = NULL;

	mutex_lock(&links_lock);
	list_for_each_entry(rxe, &links, sec.entry) {
		if (net_eq(rxe->sec.net, net) && !strcmp(rxe->ib_dev.name, name) &&
		    ib_device_try_get(&rxe->ib_dev)) {
			found = rxe;
			break;
		}
	}
	mutex_unlock(&links_lock);
	return found;
}

/**
 * srxe_link_for_each() - call a function for every link of a namespace
 * @net: namespace
 * @fn: called in the order the links were made, the device registered and
 *	referenced; must not make or remove links; returns 0 to go on
 * @data: handed to @fn
 *
 * Context: process, may sleep.
 * Return: 0, or what @fn returned other than 0.
 */
int srxe_link_for_each(struct net *net, int (*fn)(struct rxe_dev *rxe, void *data),
		       void *data)
{
	struct rxe_dev *rxe;
	int ret = 0;

	mutex_lock(&links_lock);
	list_for_each_entry(rxe, &links, sec.entry) {
		if (!net_eq(rxe->sec.net, net) || !ib_device_try_get(&rxe->ib_dev))
			continue;
		ret = fn(rxe, data);
		ib_device_put(&rxe->ib_dev);
		if (ret)
			break;
	}
	mutex_unlock(&links_lock);
	return ret;
}

/**
 * srxe_ours() - tell our devices from stock rxe's
 * @ibdev: device with rxe's driver id and a reference, or NULL
 *
 * Context: any.
 * Return: @ibdev if it is one of this module, else NULL and the reference is
 * dropped.
 */
struct ib_device *srxe_ours(struct ib_device *ibdev)
{
	if (!ibdev || ibdev->ops.owner == THIS_MODULE)
		return ibdev;
	ib_device_put(ibdev);
	return NULL;
}
