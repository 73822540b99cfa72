/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The SPI table: which SA a sealed packet belongs to, in each network
 * namespace. An SPI is random and, once its SA has ended, not given out again
 * for SRXE_SPI_HOLD_S.
 */
#ifndef SRXE_SPI_H
#define SRXE_SPI_H

#include <linux/types.h>

struct net;
struct srxe_sa;
struct srxe_spi;

int srxe_spi_init(void);
void srxe_spi_exit(void);

struct srxe_spi *srxe_spi_take(struct net *net, struct srxe_sa *sa, u32 *spi);
void srxe_spi_release(struct srxe_spi *slot);
struct srxe_sa *srxe_spi_lookup(struct net *net, u32 spi);

/* What take and the passing of time come down to; apart for the tests' sake. */
int srxe_spi_insert(struct net *net, u32 spi, struct srxe_sa *sa, struct srxe_spi **slot);
void srxe_spi_reap(u64 now);

#endif /* SRXE_SPI_H */
