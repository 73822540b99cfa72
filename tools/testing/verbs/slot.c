// SPDX-License-Identifier: GPL-2.0
/*
 * Slots. Memory is two halves (0: requester's side, 1: what the peer reads, writes and
 * sends into) of @depth slots; a slot is guard, message at a pseudo-random offset, guard.
 * Everything around a message has its own pattern, so the smallest stray byte shows.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "traffic.h"

#define KIND_BACKGROUND	0x6267u
#define KIND_MESSAGE	0x6d73u

uint8_t *slot_base(const struct endpoint *ep, int half, int slot)
{
	return ep->mem + ((size_t)half * ep->depth + slot) * ep->stride;
}

static uint64_t key_of(const struct endpoint *ep, const struct slot_id *id, uint32_t kind,
		       int half)
{
	return pattern_key(ep->o->seed, id->number, id->iter, kind + half * 0x10000u);
}

/* Offset of the message in the slot's skew area; atomics need alignment. */
uint32_t slot_skew(const struct endpoint *ep, const struct slot_id *id)
{
	uint32_t skew = pattern_key(ep->o->seed, id->number, id->iter, 0x736bu) % SKEW;

	if (id->op == OP_CAS || id->op == OP_FADD || id->op == OP_ATOMIC_WRITE)
		skew &= ~7u;
	return skew;
}

uint8_t *slot_data(const struct endpoint *ep, int half, int slot, const struct slot_id *id)
{
	return slot_base(ep, half, slot) + GUARD + slot_skew(ep, id);
}

/* Address of the message in the peer's half 1. */
uint64_t slot_remote(const struct endpoint *ep, int slot, const struct slot_id *id)
{
	return ep->remote.va + ((uint64_t)ep->depth + slot) * ep->stride + GUARD +
	       slot_skew(ep, id);
}

void slot_background(struct endpoint *ep, int half, int slot, const struct slot_id *id)
{
	pattern_fill(slot_base(ep, half, slot), ep->stride,
		     key_of(ep, id, KIND_BACKGROUND, half));
}

/* Its background again in a part of the slot. */
void slot_restore(struct endpoint *ep, int half, int slot, const struct slot_id *id, size_t from,
		  size_t len)
{
	uint64_t key = key_of(ep, id, KIND_BACKGROUND, half);
	uint8_t *base = slot_base(ep, half, slot);
	uint64_t word;

	for (size_t at = from; at < from + len; at++) {
		word = pattern_word(key, at / 8);
		base[at] = ((uint8_t *)&word)[at % 8];
	}
}

/* The message's bytes are the same on both sides, whatever the half. */
void slot_message(struct endpoint *ep, int half, int slot, const struct slot_id *id)
{
	pattern_fill(slot_data(ep, half, slot, id), id->size, key_of(ep, id, KIND_MESSAGE, 0));
}

/* Compare a part of the slot with its background. */
static int around(struct endpoint *ep, int half, int slot, const struct slot_id *bg, size_t from,
		  size_t to, size_t msg_at, char *reason)
{
	const uint8_t *base = slot_base(ep, half, slot);
	uint64_t key = key_of(ep, bg, KIND_BACKGROUND, half);

	for (size_t at = from; at < to; at++) {
		uint64_t word = pattern_word(key, at / 8);

		if (!(at % 8) && at + 8 <= to && !memcmp(base + at, &word, 8)) {
			at += 7;
			continue;
		}
		if (base[at] != ((uint8_t *)&word)[at % 8]) {
			snprintf(reason, REASON_LEN, "slot %d: stray byte at %+zd of the message",
				 slot, (ssize_t)at - (ssize_t)msg_at);
			return -EBADMSG;
		}
	}
	return 0;
}

/*
 * The slot holds @len bytes of @msg at the place of @bg and, around them, the background
 * of @bg. @msg NULL: nothing but background.
 */
int slot_check(struct endpoint *ep, int half, int slot, const struct slot_id *bg,
	       const struct slot_id *msg, uint32_t len, char *reason)
{
	size_t at = GUARD + slot_skew(ep, bg), bad;
	int err;

	if (!msg)
		len = 0;
	err = around(ep, half, slot, bg, 0, at, at, reason);
	if (!err)
		err = around(ep, half, slot, bg, at + len, ep->stride, at, reason);
	if (err || !msg)
		return err;
	if (!pattern_diff(slot_base(ep, half, slot) + at, len, key_of(ep, msg, KIND_MESSAGE, 0),
			  &bad))
		return 0;
	snprintf(reason, REASON_LEN, "message %u: wrong data at byte %zu of %u", msg->iter, bad,
		 len);
	return -EBADMSG;
}

/* As slot_check(), with one 8-byte value for a message. */
int slot_check_value(struct endpoint *ep, int half, int slot, const struct slot_id *id,
		     uint64_t value, char *reason)
{
	size_t at = GUARD + slot_skew(ep, id);
	uint64_t found;
	int err = around(ep, half, slot, id, 0, at, at, reason);

	if (!err)
		err = around(ep, half, slot, id, at + 8, ep->stride, at, reason);
	if (err)
		return err;
	memcpy(&found, slot_base(ep, half, slot) + at, 8);
	if (found == value)
		return 0;
	snprintf(reason, REASON_LEN, "message %u: value %016" PRIx64 ", not %016" PRIx64, id->iter,
		 found, value);
	return -EBADMSG;
}

/*
 * A UC WRITE whose packets may be lost: each packet's part is the message's or the
 * background's, nothing else. *whole: all of it arrived.
 */
int slot_check_chunks(struct endpoint *ep, int slot, const struct slot_id *id, uint32_t mtu,
		      bool *whole, char *reason)
{
	size_t at = GUARD + slot_skew(ep, id);
	const uint8_t *data = slot_base(ep, 1, slot) + at;
	uint64_t key = key_of(ep, id, KIND_MESSAGE, 0);
	size_t bad, n;
	int err;

	*whole = true;
	for (size_t off = 0; off < id->size; off += n) {
		n = id->size - off < mtu ? id->size - off : mtu;
		/* a packet starts at a multiple of the MTU, hence of 8 */
		if (!pattern_diff(data + off, n, key + off / 8 * 0x9e3779b97f4a7c15ull, &bad))
			continue;
		*whole = false;
		err = around(ep, 1, slot, id, at + off, at + off + n, at, reason);
		if (err) {
			snprintf(reason, REASON_LEN, "message %u: neither new nor old at byte %zu",
				 id->iter, off);
			return err;
		}
	}
	err = around(ep, 1, slot, id, 0, at, at, reason);
	return err ? err : around(ep, 1, slot, id, at + id->size, ep->stride, at, reason);
}
