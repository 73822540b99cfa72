#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Style and static checks of our own files: checkpatch --strict, kernel-doc,
# sparse, warnings of W=1, coccicheck, yamllint, shellcheck.
#
#   check.sh BUILD [CHECK ...]
#
# BUILD is a directory for what is unpacked and built. All checks by default; one
# that does not exist is status 2.
# The tools come from linux-source-6.12, whatever kernel is built for.
set -uo pipefail

build=$1
shift
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
ours=drivers/infiniband/sw/secure_rxe
kernel=$build/kernel-tools
failed=0
all=(checkpatch kernel_doc warnings sparse coccicheck hooks yamllint shellcheck)

# Files of ours with these name endings, as git knows them.
files() {
	git ls-files -co --exclude-standard -- "$@" | while read -r f; do
		[ -e "$f" ] && echo "$f"
	done
}

tools() {
	local source=linux-source-6.12 tarball=/usr/src/linux-source-6.12.tar.xz

	[ "$kernel/.unpacked" -nt "$tarball" ] && return
	rm -rf "$kernel" && mkdir -p "$kernel" &&
		tar -C "$kernel" -xJf "$tarball" --strip-components=1 "$source/scripts" &&
		touch "$kernel/.unpacked" || exit
}

# What checkpatch says about a file by its nature, not for want of care.
exceptions="
$ours/srxe_compat.h LINUX_VERSION_CODE	which it is there for
$ours/srxe_compat.h CONSTANT_COMPARISON	KERNEL_VERSION() taken for a constant
$ours/srxe_compat.h NEW_TYPEDEFS	one name for what two kernels call differently
$ours/srxe_stats.h COMPLEX_MACRO	a list of counters, expanded twice
$ours/srxe_stats.h MACRO_ARG_REUSE
$ours/srxe_stats.h MACRO_ARG_UNUSED
$ours/srxe_stats.h SPACING
$ours/srxe_stats.h BRACKET_SPACE
$ours/srxe_compat.h MACRO_ARG_UNUSED	that of a newer kernel's macro
$ours/srxe_trace.h PARENTHESIS_ALIGNMENT	as tracepoints are written
$ours/srxe_trace.h OPEN_ENDED_LINE
$ours/srxe_trace.h SPACING		the list of counters, once more
$ours/srxe_trace.h COMPLEX_MACRO
$ours/srxe_trace.h MACRO_ARG_UNUSED
$ours/srxe_trace.h TRAILING_SEMICOLON
"

checkpatch() {
	xargs "$kernel/scripts/checkpatch.pl" --no-tree --strict --terse --no-summary \
		--show-types --quiet "$@" -f
}

check_checkpatch() {
	local said

	said=$({
		files 'drivers/*.[ch]' 'include/*.h' 'tools/testing/kunit/*.[ch]' | checkpatch
		# PRIu64, positive errno and attributes are user space's own
		files 'tools/*.[ch]' | grep -v '^tools/testing/kunit/' | checkpatch \
			--ignore CAMELCASE,USE_NEGATIVE_ERRNO,PREFER_DEFINED_ATTRIBUTE_MACRO
	} | awk -v list="$exceptions" '
		BEGIN {
			n = split(list, line, "\n")
			for (i = 1; i <= n; i++) {
				split(line[i], word, /[ \t]+/)
				except[word[1] ":" word[2]] = 1
			}
		}
		{ split($0, part, ":") }
		!(part[1] ":" part[4] in except)')
	[ -z "$said" ] || echo "$said"
	[ -z "$said" ]
}

check_kernel_doc() {
	files "$ours/*.c" "$ours/*.h" 'include/*.h' |
		xargs "$kernel/scripts/kernel-doc" -none -Wall -Werror
}

# compile NAME ARGUMENT ...: build both variants, fail on what is said about
# our files; rxe's own are not ours to judge.
compile() {
	local name=$1 variant said=0

	shift
	for variant in secure plain; do
		make O="$build/$name" VARIANT=$variant "$@" >"$build/$name.log" 2>&1 || {
			tail -n 20 "$build/$name.log"
			return 1
		}
		grep -E "/(srxe_[a-z_]*|tests/[a-z_]*)\.[ch]:[0-9]+" "$build/$name.log" && said=1
	done
	return $said
}

check_warnings() {
	compile warnings W=1
}

check_sparse() {
	compile sparse C=2 CF=-D__CHECK_ENDIAN__
}

check_coccicheck() {
	local cocci said

	# one directory with all that is ours, so that one run sees it all
	rm -rf "$build/coccicheck" && mkdir -p "$build/coccicheck"
	files "$ours/*.[ch]" | xargs cp -t "$build/coccicheck"
	said=$(find "$kernel/scripts/coccinelle" -name '*.cocci' | sort | while read -r cocci; do
		grep -q 'virtual report' "$cocci" || continue
		spatch --very-quiet --no-show-diff -D report --include-headers \
			--sp-file "$cocci" --dir "$build/coccicheck" 2>/dev/null
	done | grep -E 'srxe_.*:[0-9]+')
	[ -z "$said" ] || echo "$said"
	[ -z "$said" ]
}

check_hooks() {
	local cocci bad=0

	for cocci in "$ours"/hooks/*.cocci; do
		spatch --parse-cocci "$cocci" >/dev/null 2>&1 || { echo "$cocci"; bad=1; }
	done
	return $bad
}

check_yamllint() {
	files '*.yaml' '*.yml' | xargs yamllint -s
}

check_shellcheck() {
	{
		files '*.sh'
		files | xargs grep -lE '^#!/bin/(ba)?sh' -- 
	} | sort -u | xargs shellcheck -x -S warning -e SC2154
}

[ $# -gt 0 ] || set -- "${all[@]}"
for check; do
	[[ " ${all[*]} " == *" $check "* ]] || {
		echo "check: no check \"$check\", one of: ${all[*]}" >&2
		exit 2
	}
done
mkdir -p "$build"
tools
for check; do
	if "check_$check"; then
		echo "check: $check ok"
	else
		echo "check: $check FAILED"
		failed=$((failed + 1))
	fi
done
exit $((failed > 0))
