# SPDX-License-Identifier: GPL-2.0
"""Attacks from set-up to verdict. Each is a function of a Lab; it raises Broken, or
returns evidence, when what was expected (the attack succeeds: "falls"; it does not:
"holds") is what happened, and raises Unmet when it is not."""
