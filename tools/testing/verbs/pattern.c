// SPDX-License-Identifier: GPL-2.0
/* Pseudo-random data from a key: any part can be computed again without storing it. */
#include <string.h>
#include "traffic.h"

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

uint64_t pattern_key(uint64_t seed, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t key = mix(seed + 0x9e3779b97f4a7c15ull);

	key = mix(key ^ (((uint64_t)a << 32) | b));
	return mix(key + c);
}

uint64_t pattern_word(uint64_t key, uint64_t n)
{
	return mix(key + (n + 1) * 0x9e3779b97f4a7c15ull);
}

void pattern_fill(uint8_t *p, size_t len, uint64_t key)
{
	for (size_t n = 0; n * 8 < len; n++) {
		uint64_t word = pattern_word(key, n);
		size_t left = len - n * 8;

		memcpy(p + n * 8, &word, left < 8 ? left : 8);
	}
}

/* 1 and the place of the first wrong byte, or 0. */
int pattern_diff(const uint8_t *p, size_t len, uint64_t key, size_t *at)
{
	for (size_t n = 0; n * 8 < len; n++) {
		uint64_t word = pattern_word(key, n);
		size_t left = len - n * 8;
		const uint8_t *w = (const uint8_t *)&word;

		if (left > 8)
			left = 8;
		if (!memcmp(p + n * 8, &word, left))
			continue;
		for (size_t i = 0; i < left; i++) {
			if (p[n * 8 + i] != w[i]) {
				*at = n * 8 + i;
				return 1;
			}
		}
	}
	return 0;
}

/* FNV-1a: for people and scripts to see whether memory changed, no more. */
uint64_t pattern_sum(const uint8_t *p, size_t len)
{
	uint64_t sum = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ p[i]) * 0x100000001b3ull;
	return sum;
}
