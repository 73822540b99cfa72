# SPDX-License-Identifier: GPL-2.0
#
# Set-up, guests and tests; included by the top Makefile.
#
# make setup		install what is missing on Debian 12
# make test		build and run everything, sum in the last line; T=REGEX
#			chooses selftests, STAGES=build,scripts,kunit,debug,debian
#			kinds of them, ALL=y takes no selection of tests for the
#			debug kernel, nor of modes for attacks (an hour more)
# make demo		two hosts, a listener and a forger: plain, then secured
# make vm		a shell in a guest with the module loaded and two linked
#			namespaces; CMD='...' runs a command instead, KERNEL=debug
#			takes the debug kernel
# make knobs		the module with the parameters that only tests may set
# make debug-kernel	the kernel with KASAN, lockdep, kmemleak and the like

testing	:= tools/testing

# Debug kernel, built once; it depends on the kernel's source, not on the driver.
DEBUG_KERNEL ?= $(abspath $(O))/debug-kernel

# The other kernel that must compose and compile.
other-kernel = $(shell ls -d /lib/modules/6.1.*/build 2>/dev/null | sort -V | tail -n 1)

.PHONY: setup test test-tools demo vm debug-kernel debug-modules other-kernel knobs

setup:
	$(Q)SRXE_BUILD=$(abspath $(O)) scripts/setup.sh

test: setup
	$(Q)SRXE_BUILD=$(abspath $(O)) $(testing)/run/run.py $(if $(T),--tests '$(T)') \
		$(if $(STAGES),--only '$(STAGES)') $(if $(ALL),--all)

# programs that tests run
test-tools: tools
	$(Q)$(MAKE) --no-print-directory -C $(testing)/verbs O=$(abspath $(O))

demo: setup
	$(Q)$(MAKE) --no-print-directory KVER=$$($(testing)/vm/kernels.py) all plain test-tools
	$(Q)SRXE_BUILD=$(abspath $(O)) $(testing)/vm/vm.py -- $(testing)/demo/guest.sh

vm:
	$(Q)$(MAKE) --no-print-directory KVER=$$($(testing)/vm/kernels.py) all test-tools
ifeq ($(KERNEL),debug)
	$(Q)$(MAKE) --no-print-directory debug-modules
endif
	$(Q)SRXE_BUILD=$(abspath $(O)) $(testing)/vm/shell.sh

debug-kernel:
	$(Q)$(testing)/vm/debug-kernel.sh $(DEBUG_KERNEL)

debug-modules: debug-kernel
	$(Q)$(testing)/vm/debug-modules.sh $(DEBUG_KERNEL) $(abspath $(O))
	$(Q)$(MAKE) --no-print-directory KDIR=$(DEBUG_KERNEL) \
		KVER=$$(cat $(DEBUG_KERNEL)/include/config/kernel.release) plain

# The module once more, with what only tests may set; in a directory of its own.
knobs: rxe-source
	$(Q)$(MAKE) --no-print-directory KVER=$(KVER) KDIR=$(KDIR) O=$(abspath $(O))/knobs \
		RXE_SRC=$(rxe) DEBUG=y all

other-kernel:
	$(Q)[ -n "$(other-kernel)" ] || { echo "no headers of kernel 6.1: make setup" >&2; false; }
	$(Q)$(MAKE) --no-print-directory KVER=$(notdir $(other-kernel:/build=)) all
