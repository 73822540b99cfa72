// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of the machine, and times when it stands still: which events end the
 * links' SAs, and when new ones may be made. The notifiers are the real ones,
 * called by hand; what they do to a link is noted down here.
 */
#include <kunit/test.h>

#include <srxe_conn.h>

/* The real one has a suite of its own. */
#define srxe_conn_end_link note_end_link
static void note_end_link(struct srxe_link *link, enum srxe_vendor_err verr);

#include "srxe_pm.c"

static unsigned int rounds;
static u32 reason;

/* One link, of which nothing but its name is used. */
void srxe_hs_each_link(void (*fn)(struct srxe_link *link))
{
	fn(NULL);
}

static void note_end_link(struct srxe_link *link, enum srxe_vendor_err verr)
{
	rounds++;
	reason = verr;
}

static int init(struct kunit *test)
{
	rounds = 0;
	reason = 0;
	return srxe_pm_init();
}

static void finish(struct kunit *test)
{
	srxe_pm_exit();
}

static void events(struct kunit *test)
{
	static const struct {
		unsigned long event;
		int answer;
		unsigned int rounds;
		bool stopping;
	} rows[] = {
		{ PM_SUSPEND_PREPARE,		NOTIFY_OK,	1, true },
		{ PM_POST_SUSPEND,		NOTIFY_OK,	1, false },
		{ PM_HIBERNATION_PREPARE,	NOTIFY_OK,	2, true },
		{ PM_POST_HIBERNATION,		NOTIFY_OK,	2, false },
		{ PM_RESTORE_PREPARE,		NOTIFY_OK,	3, true },
		{ PM_POST_RESTORE,		NOTIFY_OK,	3, false },
		{ 0,				NOTIFY_DONE,	3, false },
	};
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, srxe_pm_stopping());
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ(test, pm_nb.notifier_call(&pm_nb, rows[i].event, NULL),
				rows[i].answer);
		KUNIT_EXPECT_EQ(test, rounds, rows[i].rounds);
		KUNIT_EXPECT_EQ(test, srxe_pm_stopping(), rows[i].stopping);
	}
	KUNIT_EXPECT_EQ(test, reason, SRXE_VERR_SA_LOST);
}

/* V1: a copy is told of by the kernel; it ends what there is and holds up nothing. */
static void copied(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, vmfork_nb.notifier_call(&vmfork_nb, 0, NULL), NOTIFY_OK);
	KUNIT_EXPECT_EQ(test, rounds, 1);
	KUNIT_EXPECT_EQ(test, reason, SRXE_VERR_SA_LOST);
	KUNIT_EXPECT_FALSE(test, srxe_pm_stopping());
}

static struct kunit_case cases[] = {
	KUNIT_CASE(events),
	KUNIT_CASE(copied),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_pm",
	.init		= init,
	.exit		= finish,
	.test_cases	= cases,
};

kunit_test_suite(suite);
