// SPDX-License-Identifier: GPL-2.0
//
// Network namespaces: routes, queue pair sockets and the UDP tunnel sockets are
// those of the link's namespace, not init_net's.
//
// Safe there: the namespace of a link is fixed when it is added, and the
// pernet exit handler unregisters every link of a namespace that goes, so
// srxe_net() is good wherever there is a queue pair. rxe's own set-up of the
// tunnel sockets stays; it is called per namespace instead of once.

@route4@
symbol init_net;
identifier qp;
expression fl;
@@
 rxe_find_route4(struct rxe_qp *qp, ...)
 {
 <+...
- ip_route_output_key(&init_net, fl)
+ ip_route_output_key(srxe_net(to_rdev(qp->ibqp.device)), fl)
 ...+>
 }

@route6@
symbol ipv6_stub, recv_sockets;
identifier qp;
expression fl6;
@@
 rxe_find_route6(struct rxe_qp *qp, ...)
 {
 <+...
- ipv6_stub->ipv6_dst_lookup_flow(sock_net(recv_sockets.sk6->sk), recv_sockets.sk6->sk, fl6, NULL)
+ ipv6_stub->ipv6_dst_lookup_flow(srxe_net(to_rdev(qp->ibqp.device)), NULL, fl6, NULL)
 ...+>
 }

@qp_socket@
symbol init_net, rxe;
expression list es;
@@
- sock_create_kern(&init_net, es)
+ sock_create_kern(srxe_net(rxe), es)

@net_init@
symbol err, err_out;
@@
 int rxe_net_init(void)
 {
 ...
- err = rxe_net_ipv4_init();
- if (err) return err;
- err = rxe_net_ipv6_init();
- if (err) goto err_out;
+ err = srxe_pernet_init();
+ if (err)
+	return err;
 ...
 }

@net_exit@
@@
 void rxe_net_exit(void)
 {
- rxe_release_udp_tunnel(recv_sockets.sk6);
- rxe_release_udp_tunnel(recv_sockets.sk4);
 ...
 unregister_netdevice_notifier(&rxe_net_notifier);
+ srxe_pernet_exit();
 }

@ipv4_init@
@@
- static int rxe_net_ipv4_init(void) { ... }

@ipv6_init@
@@
- static int rxe_net_ipv6_init(void) { ... }

@sockets@
@@
- static struct rxe_recv_sockets recv_sockets;

@sockets_reset@
@@
- recv_sockets.sk6 = NULL;

@tunnel_setup@
typedef __be16;
@@
- static
 struct socket *rxe_setup_udp_tunnel(struct net *net, __be16 port, bool ipv6) { ... }

@tunnel_release@
@@
- static
 void rxe_release_udp_tunnel(struct socket *sk) { ... }
