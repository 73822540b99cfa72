/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Order across asynchronous crypto: what enters a FIFO leaves it in the same
 * order, whenever and wherever each entry gets done.
 *
 * An entry is added before its crypto starts. Whoever completes one while
 * nobody drains becomes the drainer and hands entries on from the head as long
 * as the head is done; everybody else just leaves. So there is one drainer at
 * a time, and a drainer that reenters through its own deliveries (loopback)
 * ends at once instead of recursing.
 *
 * Nothing here knows what the entries are. All but the initialisation is
 * called with the FIFO's lock held.
 */
#ifndef SRXE_FIFO_H
#define SRXE_FIFO_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct srxe_fifo_entry - part of whatever is queued
 * @list: in the FIFO
 * @done: crypto has completed, well or not
 */
struct srxe_fifo_entry {
	struct list_head	list;
	bool			done;
};

/**
 * struct srxe_fifo - one direction's order
 * @lock: protects everything here and what its owner says; BH
 * @entries: in the order they entered, done or not
 * @inflight: their number; read without the lock where a guess will do
 * @draining: somebody hands entries on, or a work that will is queued
 */
struct srxe_fifo {
	spinlock_t		lock;	/* BH */
	struct list_head	entries;
	unsigned int		inflight;
	bool			draining;
};

/**
 * srxe_fifo_init() - make an empty FIFO
 * @fifo: the FIFO
 *
 * Context: Any.
 */
static inline void srxe_fifo_init(struct srxe_fifo *fifo)
{
	spin_lock_init(&fifo->lock);
	INIT_LIST_HEAD(&fifo->entries);
	fifo->inflight = 0;
	fifo->draining = false;
}

/**
 * srxe_fifo_add() - take a place at the end
 * @fifo: the FIFO
 * @entry: new entry, owned by the FIFO from now on
 *
 * Context: Any; lock held.
 */
static inline void srxe_fifo_add(struct srxe_fifo *fifo,
				 struct srxe_fifo_entry *entry)
{
	lockdep_assert_held(&fifo->lock);
	entry->done = false;
	list_add_tail(&entry->list, &fifo->entries);
	WRITE_ONCE(fifo->inflight, fifo->inflight + 1);
}

/**
 * srxe_fifo_done() - an entry's crypto has completed
 * @fifo: the FIFO
 * @entry: the entry; not the caller's any more
 *
 * Context: Any; lock held.
 * Return: true if the caller is the drainer now and must call
 * srxe_fifo_next() until it returns NULL.
 */
static inline bool srxe_fifo_done(struct srxe_fifo *fifo,
				  struct srxe_fifo_entry *entry)
{
	lockdep_assert_held(&fifo->lock);
	entry->done = true;
	if (fifo->draining || !list_is_first(&entry->list, &fifo->entries))
		return false;
	fifo->draining = true;
	return true;
}

/**
 * srxe_fifo_next() - take the next entry to hand on
 * @fifo: the FIFO, which the caller drains
 * @budget: how many more the caller may take; counted down
 *
 * Context: Any; lock held, but not while the entry is handed on.
 * Return: the head if it is done, now the caller's; else NULL. If @budget is 0
 * then, there is more to do and the caller still is the drainer: it must see
 * to it that somebody goes on. Otherwise it is the drainer no longer.
 */
static inline struct srxe_fifo_entry *srxe_fifo_next(struct srxe_fifo *fifo,
						     unsigned int *budget)
{
	struct srxe_fifo_entry *entry;

	lockdep_assert_held(&fifo->lock);
	entry = list_first_entry_or_null(&fifo->entries, struct srxe_fifo_entry,
					 list);
	if (!entry || !entry->done) {
		fifo->draining = false;
		/* not to be mistaken for "there is more" */
		*budget = 1;
		return NULL;
	}
	if (!*budget)
		return NULL;
	--*budget;
	list_del(&entry->list);
	WRITE_ONCE(fifo->inflight, fifo->inflight - 1);
	return entry;
}

#endif /* SRXE_FIFO_H */
