# SPDX-License-Identifier: GPL-2.0
#
# secure-rxe: compose the driver from the kernel's rxe, build it, test it.
# "make help" says what there is.

# make			the module: build/<kernel>/secure_rxe.ko
# make plain		the reference for controls and figures: the driver with
#			what a link of its own needs, and no protection
# make tools		srxe and what tests run: build/srxe, build/srxe_traffic
# make install		module, srxe and its man page, as root; INSTALL_MOD_PATH=
#			is a root to install below (an absolute path)
# make uninstall	takes away what make install put there, for the same KVER=
# make compose		the composed driver only, in build/<kernel>/secure
# make check		style and static checks; CHECKS= names some of them:
#			checkpatch kernel_doc warnings sparse coccicheck hooks
#			yamllint shellcheck
# make test-compose	does a hook that does not apply stop the build?
# make clean		remove build

# KVER=      kernel to build for; default: the running one if its headers are
#            here, else the newest 6.12, else the newest
# KDIR=      its build directory; default: the installed headers. May be the
#            output directory of a kernel build of one's own.
# RXE_SRC=   rxe's source (drivers/infiniband/sw/rxe); default: from the package
#            linux-source-X.Y
# VARIANT=   secure (default) or plain, see above
# DEBUG=y    test-only knobs (CONFIG_SECURE_RXE_DEBUG of a kernel tree)
# KUNIT=m    KUnit tests beside the module; needs a kernel with KUnit
# O=         where products go; default: build
# V=1        show commands

ifdef KDIR
override KDIR := $(abspath $(KDIR))
KVER := $(shell cat $(KDIR)/include/config/kernel.release)
else
KVER := $(or $(KVER),$(shell scripts/kernel.sh))
KDIR := /lib/modules/$(KVER)/build
endif

VARIANT ?= secure
O ?= build
override O := $(abspath $(O))

ifeq ($(filter $(VARIANT),secure plain),)
$(error VARIANT is secure or plain)
endif

Q := $(if $(V),,@)

# O= is ours; kbuild would take it for its own if it came by the command line.
# The rest of the command line (W=, C=, CF=, INSTALL_MOD_PATH=, ...) is for
# kbuild as well.
MAKEOVERRIDES := $(filter-out O=%,$(MAKEOVERRIDES))
export O

out	 := $(O)/$(KVER)
dir	 := $(out)/$(VARIANT)
module	 := secure_rxe$(if $(filter plain,$(VARIANT)),_plain)
rxe	 := $(if $(RXE_SRC),$(abspath $(RXE_SRC)),$(out)/rxe/drivers/infiniband/sw/rxe)
ours	 := drivers/infiniband/sw/secure_rxe


# Netlink code, made from its spec; the plain variant has none.
netlink	 := $(O)/netlink
ifeq ($(VARIANT),secure)
made	 := include/uapi/rdma/srxe_netlink.h srxe_nl.h srxe_nl.c
endif

# What the composed driver is made of.
inputs	 := scripts/compose.py $(wildcard $(ours)/*.[ch] $(ours)/K* \
		$(ours)/hooks/*.cocci $(ours)/hooks/manifest.txt $(rxe)/*.[ch]) \
		$(shell find include $(if $(KUNIT),tools/testing/kunit) -type f)

kbuild	  = $(MAKE) $(if $(V),,--no-print-directory) -C $(KDIR) M=$(dir) \
		$(if $(DEBUG),DEBUG=$(DEBUG)) $(if $(KUNIT),KUNIT=$(KUNIT))

.PHONY: all plain rxe-source compose modules install uninstall tools check test-compose clean help FORCE

include tools/testing/testing.mk

.DEFAULT_GOAL := all
all: modules

plain:
	$(Q)$(MAKE) --no-print-directory VARIANT=plain KDIR=$(KDIR) all

$(KDIR)/include/generated/uapi/linux/version.h:
	@echo "no headers of kernel $(KVER) (make setup, or apt install linux-headers-$(KVER))" >&2
	@false

# rxe's source, from the package; again when the package changes
$(out)/rxe/version: $(KDIR)/include/generated/uapi/linux/version.h scripts/rxe-source.sh \
		$(wildcard /usr/src/linux-source-*.tar.xz)
	$(Q)scripts/rxe-source.sh $(KDIR) $(out)/rxe

rxe-source: $(out)/rxe/version

$(netlink)/.made: Documentation/netlink/specs/secure-rxe.yaml scripts/gen-netlink.sh
	$(Q)scripts/gen-netlink.sh $(netlink)
	$(Q)touch $@

# Compose again when an option changes, or when a file comes or goes.
options := $(RXE_SRC) $(KUNIT) $(inputs)
$(dir)/.options: FORCE
	$(Q)mkdir -p $(dir)
	$(Q)echo '$(options)' | cmp -s - $@ || echo '$(options)' >$@

$(dir)/.composed: $(if $(RXE_SRC),,$(out)/rxe/version) $(if $(made),$(netlink)/.made) \
		$(inputs) $(dir)/.options
	$(Q)scripts/compose.py --rxe $(rxe) --variant $(VARIANT) --out $(dir) --headers \
		--kernel $$(scripts/kversion.sh $(KDIR)) $(if $(KUNIT),--kunit) \
		$(foreach f,$(made),--file $(f)=$(netlink)/$(f))
	$(Q)touch $@

compose: $(dir)/.composed

modules: $(dir)/.composed
	$(Q)$(kbuild) modules
	$(Q)cmp -s $(dir)/$(module).ko $(out)/$(module).ko || cp $(dir)/$(module).ko $(out)/
	@echo "$(patsubst $(CURDIR)/%,%,$(out)/$(module).ko)"
	@if [ -e $(out)/rxe/differs ] && [ -z "$(RXE_SRC)" ]; then \
		echo "WARNING: $$(cat $(out)/rxe/differs)" >&2; fi
	@case $(KVER) in 6.1.*) \
		echo "WARNING: for $(KVER) it only compiles, it has not been run there yet: boot a 6.12 kernel" >&2;; \
	esac

# of the root to install below, if a kernel is there
depmod	  = if [ -e $(INSTALL_MOD_PATH)/lib/modules/$(KVER)/modules.order ]; then \
		depmod $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) $(KVER); fi

# INSTALL_MOD_PATH= is kbuild's: a root to install below. Distributions' headers come
# without the key that kbuild would sign modules with.
install: modules tools
	$(Q)$(kbuild) INSTALL_MOD_DIR=updates \
		$(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=) \
		modules_install
	$(Q)$(depmod)
	$(Q)$(MAKE) --no-print-directory -C tools/srxe O=$(O) GEN=$(netlink) \
		DESTDIR=$(INSTALL_MOD_PATH) install

uninstall:
	rm -f $(INSTALL_MOD_PATH)/lib/modules/$(KVER)/updates/$(module).ko*
	$(Q)$(depmod)
	$(Q)$(MAKE) --no-print-directory -C tools/srxe DESTDIR=$(INSTALL_MOD_PATH) uninstall

tools: $(netlink)/.made
	$(Q)$(MAKE) --no-print-directory -C tools/srxe O=$(O) GEN=$(netlink)
	$(Q)$(MAKE) --no-print-directory -C tools/testing/verbs O=$(O)

# Style and static checks of our own files; CHECKS= names some of them.
check:
	$(Q)scripts/check.sh $(O)/check $(CHECKS)

# Does a hook that does not apply stop the build? On every kernel there is.
test-compose:
	$(Q)scripts/test-compose.sh $(O)

clean:
	$(Q)rm -rf $(O)

help:
	@for part in 'Makefile make' '$(testing)/testing.mk make' 'Makefile KVER='; do \
		set -- $$part; sed -n "/^# $$2/,/^$$/s/^# \{0,1\}//p" $$1; echo; done
