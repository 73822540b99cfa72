#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Does the set-up install what the tools are built from? Every header and Python
# module that they include and that a package brought is in setup.sh's list by its
# own name: what another package happened to bring is missing elsewhere.
# Prints KTAP.
#
#   test-setup.sh BUILD
set -u

cd "$(dirname "$0")/.." || exit
python=/usr/bin/python3
multiarch=/usr/include/$(gcc -print-multiarch)
# build-essential and the interpreter.
given="libc6-dev linux-libc-dev libpython3-stdlib libpython3.11-stdlib libpython3.11-minimal python3-minimal"
listed=" $given $(sed -n '/^packages=(/,/^)/p' scripts/setup.sh | sed 's/#.*//; s/^packages=(//; s/^)//' | tr -s ' \t\n' ' ') "
number=0
failed=0

# owner FILE: the package that brought it.
owner() {
	dpkg -S "$(readlink -f "$1")" 2> /dev/null | head -n 1 | cut -d : -f 1
}

headers() {
	git ls-files 'tools/*.c' 'tools/*.h' | grep -v '^tools/testing/kunit/' | xargs sed -nE 's/^#include <([^>]+)>.*/\1/p' | sort -u
}

modules() {
	git ls-files '*.py' | xargs sed -nE 's/^(import|from) ([a-z0-9_]+).*/\2/p' | sort -u
}

header_files() {
	local header directory

	headers | while read -r header; do
		for directory in /usr/include "$multiarch"; do
			[ ! -e "$directory/$header" ] || echo "$directory/$header"
		done
	done
}

module_files() {
	modules | "$python" -Sc '
import importlib.util, sys
sys.path.append("/usr/lib/python3/dist-packages")
for name in sys.stdin.read().split():
    found = importlib.util.find_spec(name)
    if found and found.origin and found.origin.startswith("/usr/lib"):
        print(found.origin)'
}

# all_listed NAME LEAST: of the files on standard input, of which there are at least that many.
all_listed() {
	local name=$1 least=$2 file package files=0 missing=

	while read -r file; do
		files=$((files + 1))
		package=$(owner "$file")
		[[ $listed == *" $package "* ]] || missing+="# $file is from package '$package', not in setup.sh"$'\n'
	done
	number=$((number + 1))
	if [ -z "$missing" ] && [ "$files" -ge "$least" ]; then
		echo "ok $number $name"
	else
		printf '%s' "$missing"
		echo "# $files files"
		echo "not ok $number $name"
		failed=1
	fi
}

echo "KTAP version 1"
echo "1..2"
all_listed "headers" 20 < <(header_files)
all_listed "Python modules" 5 < <(module_files)
exit "$failed"
