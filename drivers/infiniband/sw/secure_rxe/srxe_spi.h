/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The SPI table: which SA a sealed packet belongs to, in each network
 * namespace. An SPI is random and, once its SA had keys and has ended, not given
 * out again for SRXE_SPI_HOLD_S.
 */
#ifndef SRXE_SPI_H
#define SRXE_SPI_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct net;
struct srxe_sa;
struct srxe_spi;
struct srxe_spi_share;

/* Places of a link, in use and on hold, some 27 MB if all are; see srxe_hs_limit.c. */
#define SRXE_SPI_SHARE	262144

int srxe_spi_init(void);
void srxe_spi_exit(void);

struct srxe_spi_share *srxe_spi_share_new(unsigned int max);
struct srxe_spi_share *srxe_spi_share_of(struct srxe_spi_share *link, kuid_t uid);
void srxe_spi_share_put(struct srxe_spi_share *share);
struct srxe_spi *srxe_spi_take(struct net *net, struct srxe_spi_share *share,
			       struct srxe_sa *sa, u32 *spi);
void srxe_spi_release(struct srxe_spi *slot, bool hold);
struct srxe_sa *srxe_spi_lookup(struct net *net, u32 spi);

/* What take and the passing of time come down to; apart for the tests' sake. */
int srxe_spi_insert(struct net *net, struct srxe_spi_share *share, u32 spi,
		    struct srxe_sa *sa, struct srxe_spi **slot);
void srxe_spi_reap(u64 now);

#endif /* SRXE_SPI_H */
