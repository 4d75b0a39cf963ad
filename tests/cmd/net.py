# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Traffic with known counts, between the network name spaces of two processes.

net.py PID-OF-CLIENT PID-OF-SERVER ADDRESS KIND [BYTES-TO-SERVER BYTES-TO-CLIENT]

Prints what the kernel has counted, one NAME VALUE a line, at the moment of a datagram to port 7009.
"""
import ctypes
import socket
import struct
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
client, server, address, kind = sys.argv[1:5]
family = socket.AF_INET6 if ":" in address else socket.AF_INET


def enter(pid):
    with open(f"/proc/{pid}/ns/net") as f:
        if libc.setns(f.fileno(), 0):
            raise OSError(ctypes.get_errno(), "setns")


def make(pid, type_):
    enter(pid)
    return socket.socket(family, type_)


def snmp(pid, protocol, file="snmp"):
    with open(f"/proc/{pid}/net/{file}") as f:
        rows = [line.split()[1:] for line in f if line.startswith(protocol + ":")]
    return dict(zip(rows[0], rows[1]))


def coalesced(pid):
    return int(snmp(pid, "TcpExt", "netstat")["TCPBacklogCoalesce"])


def info(s):
    """What `ss -i` prints, too: struct tcp_info."""
    raw = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 216)
    names = {"acked": ("Q", 120), "received": ("Q", 128), "segs_out": ("I", 136), "segs_in": ("I", 140),
             "data_segs_in": ("I", 152), "data_segs_out": ("I", 156), "bytes_sent": ("Q", 200), "bytes_retrans": ("Q", 208),
             "mss": ("I", 16), "rto": ("I", 8)}
    return {n: struct.unpack_from(t, raw, at)[0] for n, (t, at) in names.items()}


def report(values, prefix=""):
    for name, value in values.items():
        print(prefix + name, value)


def mark():
    """From here on nothing counts."""
    time.sleep(0.2)  # acknowledgements that are delayed
    enter(client)
    marker = socket.socket(family, socket.SOCK_DGRAM)
    kept = (snmp(client, "Tcp"), snmp(server, "Tcp"), snmp(client, "Udp"), snmp(server, "Udp"))
    marker.sendto(b"m", (address, 7009))
    for side, protocol, new, old in zip(("client", "server") * 2, ("tcp", "tcp", "udp", "udp"), kept, before):
        report({n: int(new[n]) - int(old[n]) for n in new}, f"{side}_{protocol}_")


def connected():
    listener = make(server, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, 7001))
    listener.listen()
    c = make(client, socket.SOCK_STREAM)
    c.connect((address, 7001))
    s = listener.accept()[0]
    listener.close()
    return c, s


def swallow(s, n):
    while n:
        n -= len(s.recv(min(n, 1 << 20)))


def pass_on(from_, to, n):
    t = threading.Thread(target=swallow, args=(to, n))
    t.start()
    from_.sendall(bytes(n))
    t.join()


def transfer():
    c, s = connected()
    pass_on(c, s, int(sys.argv[5]))
    pass_on(s, c, int(sys.argv[6]))
    while info(c)["acked"] < int(sys.argv[5]) or info(s)["acked"] < int(sys.argv[6]):
        time.sleep(0.01)
    report(info(c), "c_")
    report(info(s), "s_")
    # segments that became one while the program used the socket: one arrives
    print("coalesced", coalesced(client) - coalesced_before)
    mark()


def datagrams():
    s = make(server, socket.SOCK_DGRAM)
    s.bind((address, 7002))
    c = make(client, socket.SOCK_DGRAM)
    for i in range(int(sys.argv[5])):
        c.sendto(bytes(int(sys.argv[6])), (address, 7002))
        s.recv(65536)
    mark()


def refused():
    for i in range(3):
        c = make(client, socket.SOCK_STREAM)
        try:
            c.connect((address, 7003))
        except ConnectionRefusedError:
            pass
    mark()


def half_open():
    """The server's answers are lost."""
    listener = make(server, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, 7001))
    listener.listen()
    c = make(client, socket.SOCK_STREAM)
    c.settimeout(1.5)
    try:
        c.connect((address, 7001))
    except TimeoutError:
        pass
    mark()


def lossy():
    """Acknowledgements are lost for a while: their route is given by argument."""
    import subprocess
    c, s = connected()
    pass_on(c, s, 1000)
    time.sleep(0.1)
    ip = ["nsenter", "-t", server, "-n", "ip", "route"]
    subprocess.run(ip + ["add", "blackhole", sys.argv[5]], check=True)
    c.sendall(bytes(1000))
    time.sleep(0.7)
    subprocess.run(ip + ["del", "blackhole", sys.argv[5]], check=True)
    swallow(s, 1000)
    while info(c)["acked"] < 2000:
        time.sleep(0.1)
    report(info(c), "c_")
    mark()


def echoes():
    enter(client)
    c = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    c.settimeout(9)
    for i in range(5):
        c.sendto(bytes([8, 0, 247, 255 - i, 0, 0, 0, i]) + bytes(56), (address, 0))
        c.recv(999)


coalesced_before = coalesced(client)
before = (snmp(client, "Tcp"), snmp(server, "Tcp"), snmp(client, "Udp"), snmp(server, "Udp"))
{"transfer": transfer, "datagrams": datagrams, "refused": refused, "half-open": half_open, "lossy": lossy,
 "echoes": echoes}[kind]()
