/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses, messages, options of sockets. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cmd/dtr/trace/names.h"
#include "cmd/dtr/trace/value.h"

static void put_unix(struct buf *b, const void *address, size_t n)
{
	const char *p = address;
	size_t at = offsetof(struct sockaddr_un, sun_path);

	if (n <= at)
		return;
	buf_puts(b, p[at] ? ", sun_path=" : ", sun_path=@");
	at += !p[at];
	value_quoted(b, p + at, strnlen(p + at, n - at), false);
}

static void put_inet(struct buf *b, const void *p, size_t n)
{
	char text[INET_ADDRSTRLEN];
	struct sockaddr_in in = { 0 };

	memcpy(&in, p, n < sizeof in ? n : sizeof in);
	inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
	buf_printf(b, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", ntohs(in.sin_port), text);
}

static void put_inet6(struct buf *b, const void *p, size_t n)
{
	char text[INET6_ADDRSTRLEN];
	struct sockaddr_in6 in = { 0 };

	memcpy(&in, p, n < sizeof in ? n : sizeof in);
	inet_ntop(AF_INET6, &in.sin6_addr, text, sizeof text);
	buf_printf(b, ", sin6_port=htons(%u), sin6_flowinfo=htonl(%u), inet_pton(AF_INET6, \"%s\", &sin6_addr), "
		   "sin6_scope_id=%u", ntohs(in.sin6_port), ntohl(in.sin6_flowinfo), text, in.sin6_scope_id);
}

static void put_netlink(struct buf *b, const void *p, size_t n)
{
	struct sockaddr_nl nl = { 0 };

	memcpy(&nl, p, n < sizeof nl ? n : sizeof nl);
	buf_printf(b, ", nl_pid=%d, nl_groups=%08x", (int)nl.nl_pid, nl.nl_groups);
}

static void put_packet(struct buf *b, const void *p, size_t n)
{
	struct sockaddr_ll ll = { 0 };

	memcpy(&ll, p, n < sizeof ll ? n : sizeof ll);
	buf_printf(b, ", sll_protocol=htons(0x%x), sll_ifindex=%d, sll_hatype=%u, sll_pkttype=%u, sll_halen=%u",
		   ntohs(ll.sll_protocol), ll.sll_ifindex, ll.sll_hatype, ll.sll_pkttype, ll.sll_halen);
	for (unsigned i = 0; i < ll.sll_halen && i < sizeof ll.sll_addr; i++)
		buf_printf(b, i ? ", 0x%02x" : ", sll_addr=[0x%02x", ll.sll_addr[i]);
	buf_puts(b, ll.sll_halen ? "]" : "");
}

static void put_vsock(struct buf *b, const void *p, size_t n)
{
	struct sockaddr_vm vm = { 0 };

	memcpy(&vm, p, n < sizeof vm ? n : sizeof vm);
	buf_printf(b, ", svm_cid=0x%x, svm_port=0x%x", vm.svm_cid, vm.svm_port);
}

void value_sockaddr(struct buf *b, const void *p, size_t n)
{
	static const struct { sa_family_t family; void (*put)(struct buf *b, const void *p, size_t n); } families[] = {
		{ AF_UNIX, put_unix }, { AF_INET, put_inet }, { AF_INET6, put_inet6 }, { AF_NETLINK, put_netlink },
		{ AF_PACKET, put_packet }, { AF_VSOCK, put_vsock },
	};
	sa_family_t family;

	memcpy(&family, p, sizeof family);
	buf_puts(b, "{sa_family=");
	names_put(b, NAMES_family, family);
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (families[i].family == family)
			families[i].put(b, p, n);
	buf_putc(b, '}');
}

void show_sockaddr(const struct decode_value *s)
{
	if (s->n < sizeof(sa_family_t))
		value_address(s->b, s->v);
	else
		value_sockaddr(s->b, s->p, s->n);
}

void show_protocol(const struct decode_value *s)
{
	const int family = (int)s->d->arg[0];

	if (family == AF_INET || family == AF_INET6)
		names_put(s->b, NAMES_ipproto, (uint32_t)s->v);
	else if (family == AF_NETLINK)
		names_put(s->b, NAMES_nlproto, (uint32_t)s->v);
	else
		show_x(s);
}

/* ---- messages ---- */

/* Control messages that were copied completely. */
static void put_control(struct buf *b, const char *p, size_t n)
{
	struct cmsghdr h;

	buf_putc(b, '[');
	for (size_t at = 0; at + sizeof h <= n; ) {
		memcpy(&h, p + at, sizeof h);
		if (h.cmsg_len < sizeof h || h.cmsg_len > n - at)
			break;
		buf_printf(b, "%s{cmsg_len=%zu, cmsg_level=", at ? ", " : "", h.cmsg_len);
		names_put(b, NAMES_sollevel, (uint32_t)h.cmsg_level);
		buf_puts(b, ", cmsg_type=");
		if (h.cmsg_level == SOL_SOCKET)
			names_put(b, NAMES_cmsgtype, (uint32_t)h.cmsg_type);
		else
			buf_printf(b, "0x%x", h.cmsg_type);
		if (h.cmsg_level == SOL_SOCKET && h.cmsg_type == SCM_RIGHTS)
			for (size_t k = sizeof h; k + sizeof(int) <= h.cmsg_len; k += sizeof(int)) {
				int fd;

				memcpy(&fd, p + at + k, sizeof fd);
				buf_printf(b, k == sizeof h ? ", cmsg_data=[%d" : ", %d", fd);
			}
		buf_puts(b, h.cmsg_level == SOL_SOCKET && h.cmsg_type == SCM_RIGHTS ? "]}" : "}");
		at += CMSG_ALIGN(h.cmsg_len);
	}
	buf_putc(b, ']');
}

/* Parts: the message, its name, control data and array of buffers, and the buffers. */
void show_msghdr(const struct decode_value *s)
{
	const struct capture *c = &s->d->mem[s->i];
	const char *name, *control, *vector;
	size_t name_n, control_n, vector_n;
	struct msghdr m;

	if (c->parts < 4 || s->n < sizeof m) {
		value_address(s->b, s->v);
		return;
	}
	memcpy(&m, s->p, sizeof m);
	name = capture_part(c, 1, &name_n);
	control = capture_part(c, 2, &control_n);
	vector = capture_part(c, 3, &vector_n);
	buf_puts(s->b, "{msg_name=");
	if (name_n >= sizeof(sa_family_t))
		value_sockaddr(s->b, name, name_n);
	else
		value_address(s->b, (uintptr_t)m.msg_name);
	buf_printf(s->b, ", msg_namelen=%u, msg_iov=", m.msg_namelen);
	value_vector(s, vector, vector_n, 4, m.msg_iovlen);
	buf_printf(s->b, ", msg_iovlen=%zu", m.msg_iovlen);
	if (m.msg_controllen) {
		buf_puts(s->b, ", msg_control=");
		if (control_n)
			put_control(s->b, control, control_n);
		else
			value_address(s->b, (uintptr_t)m.msg_control);
	}
	buf_printf(s->b, ", msg_controllen=%zu, msg_flags=", m.msg_controllen);
	names_put(s->b, NAMES_msgflags, (uint32_t)m.msg_flags);
	buf_putc(s->b, '}');
}

/* ---- options ---- */

void show_sockoption(const struct decode_value *s)
{
	static const struct { int level; enum names_table names; } levels[] = {
		{ SOL_SOCKET, NAMES_sockopt }, { IPPROTO_IP, NAMES_ipopt }, { IPPROTO_IPV6, NAMES_ip6opt },
		{ IPPROTO_TCP, NAMES_tcpopt }, { SOL_NETLINK, NAMES_nlopt },
	};

	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (levels[i].level == (int)s->d->arg[1]) {
			names_put(s->b, levels[i].names, (uint32_t)s->v);
			return;
		}
	show_x(s);
}

void show_optval(const struct decode_value *s)
{
	struct linger l;
	struct ucred c;
	const char *name;
	int error;

	if ((int)s->d->arg[1] == SOL_SOCKET && (int)s->d->arg[2] == SO_LINGER && s->n == sizeof l) {
		memcpy(&l, s->p, sizeof l);
		buf_printf(s->b, "{l_onoff=%d, l_linger=%d}", l.l_onoff, l.l_linger);
	} else if ((int)s->d->arg[1] == SOL_SOCKET && (int)s->d->arg[2] == SO_PEERCRED && s->n == sizeof c) {
		memcpy(&c, s->p, sizeof c);
		buf_printf(s->b, "{pid=%d, uid=%d, gid=%d}", (int)c.pid, (int)c.uid, (int)c.gid);
	} else if ((int)s->d->arg[1] == SOL_SOCKET && (int)s->d->arg[2] == SO_ERROR && s->n == sizeof error) {
		memcpy(&error, s->p, sizeof error);
		name = error > 0 ? strerrorname_np(error) : NULL;
		if (name)
			buf_printf(s->b, "[%s]", name);
		else
			show_int(s);
	} else if (s->n == sizeof(int)) {
		show_int(s);
	} else {
		value_quoted(s->b, s->p, s->n, false);
	}
}
