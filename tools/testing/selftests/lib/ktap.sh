# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# KTAP output, clean-up at exit, and the check of the kernel's log.

KTAP_SKIP_STATUS=4

ktap_planned=0
ktap_count=0
ktap_failed=0
ktap_cleanups=()
ktap_in_case=no
ktap_splats=

# ktap_plan COUNT: says how many cases follow.
ktap_plan() {
	ktap_planned=$1
	echo "KTAP version 1"
	echo "1..$1"
}

# ktap_result pass|fail|skip NAME [REASON]: prints a case's result.
ktap_result() {
	local name=${2//#/}

	ktap_count=$((ktap_count + 1))
	case $1 in
	pass) echo "ok $ktap_count $name" ;;
	skip) echo "ok $ktap_count $name # SKIP $3" ;;
	*)
		ktap_failed=$((ktap_failed + 1))
		echo "not ok $ktap_count $name"
		;;
	esac
}

# ktap_case FUNCTION [ARGUMENT ...]: runs a function as a case of that name.
#
# It runs in a subshell, so fail and skip end it and nothing but what it did to
# the kernel remains; programs it has left in the background end as well.  What it
# prints becomes diagnostics.  A splat fails it.
#
# Every start of a program costs under TCG, so there are few around a case.  Each has
# a file of its own: what another has left may still write to that one's.
ktap_case() {
	local status mark line output reason=

	output=$(scratch)/case-$ktap_count
	mark=$(log_mark)
	(
		ktap_in_case=yes ktap_cleanups=()
		trap ktap_clean_up EXIT
		"$@"
	) > "$output" 2>&1 < /dev/null
	status=$?
	while IFS= read -r line || [ -n "$line" ]; do
		printf '# %s\n' "$line"
		reason=$line
	done < "$output"
	if ! log_clean "$mark"; then
		status=1
	fi
	case $status in
	0) ktap_result pass "$*" ;;
	"$KTAP_SKIP_STATUS") ktap_result skip "$*" "$reason" ;;
	*) ktap_result fail "$*" ;;
	esac
	return 0
}

# ktap_cases CASE ...: runs each; its words are what ktap_case takes.
ktap_cases() {
	local words

	for words; do
		# shellcheck disable=SC2086 # words
		ktap_case $words
	done
}

# ktap_skip_all REASON: ends a test none of whose cases can run here.
ktap_skip_all() {
	while [ "$ktap_count" -lt "$ktap_planned" ]; do
		ktap_result skip "case $((ktap_count + 1))" "$1"
	done
	ktap_end
}

# ktap_end: ends the test; its status says whether all cases passed.
ktap_end() {
	if [ "$ktap_count" -ne "$ktap_planned" ]; then
		echo "# planned $ktap_planned cases, ran $ktap_count"
		exit 1
	fi
	exit $((ktap_failed > 0))
}

# fail MESSAGE, skip MESSAGE: end a case.
fail() {
	echo "$*"
	exit 1
}

skip() {
	echo "$*"
	exit "$KTAP_SKIP_STATUS"
}

# bail MESSAGE: ends the whole test when its set-up failed.
bail() {
	echo "Bail out! ${0##*/}: $*"
	exit 1
}

# at_exit COMMAND [ARGUMENT ...]: runs it when the test ends, last one first.
at_exit() {
	[ "$ktap_in_case" = yes ] || at_case_end "$@"
}

# at_case_end COMMAND [ARGUMENT ...]: the same at the end of a case, if within one.
at_case_end() {
	ktap_cleanups=("$(printf '%q ' "$@")" "${ktap_cleanups[@]}")
}

ktap_clean_up() {
	local command

	for command in "${ktap_cleanups[@]}"; do
		eval "$command" > /dev/null 2>&1
	done
	ktap_cleanups=()
}

trap ktap_clean_up EXIT
trap 'exit 130' INT TERM

# log_mark: writes a mark into the kernel's log and prints it.
log_mark() {
	local mark="srxe-test $$ $RANDOM$RANDOM"

	echo "$mark" > /dev/kmsg
	echo "$mark"
}

# log_since MARK: prints the kernel's log from the mark on, or all there is if so much
# has been logged that the mark is not in it any more.
log_since() {
	dmesg | sed -n "/$1/ { s/.*//; h; d }; H; \$ { x; s/^\n*//; p }"
}

# log_clean MARK: fails, and shows what, if the kernel complained since then.
log_clean() {
	local found

	# without patterns every line is a complaint
	: "${ktap_splats:=$(grep -v '^#' "$SRXE_TOP/tools/testing/vm/splats")}"
	found=$(log_since "$1" | grep -E -A 30 -e "$ktap_splats")
	[ -z "$found" ] && return 0
	printf '%s\n' "the kernel complained:" "$found" | sed 's/^/# /'
	return 1
}
