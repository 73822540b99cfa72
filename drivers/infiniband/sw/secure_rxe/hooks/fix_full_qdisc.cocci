// SPDX-License-Identifier: GPL-2.0
//
// Fix: a packet that a full queue of the netdev drops is a lost packet. rxe
// takes ip_local_out()'s positive codes for errors and fails the queue pair.
//
// Safe there: the skb is consumed either way, and what is lost is sent again by
// RC and allowed to be lost by the others. Older rxe does this by itself.

@lost@
symbol err;
@@
 rxe_send(...)
 {
 ... when exists
- return err;
+ return srxe_xmit_code(err);
 }
