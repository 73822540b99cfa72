# SPDX-License-Identifier: GPL-2.0
"""An attacker of RoCEv2 and of secure-rxe: knows the wire, and no key."""
