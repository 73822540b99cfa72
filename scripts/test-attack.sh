#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The attacker's own tests, against packets of real rxe. Prints KTAP.
set -u -o pipefail

top=$(cd "$(dirname "$0")/.." && pwd)

echo "KTAP version 1"
echo "1..1"
if "$top/tools/testing/attack/tests/test_attack.py" 2>&1 | sed 's/^/# /'; then
	echo "ok 1 attack_tool"
else
	echo "not ok 1 attack_tool"
fi
