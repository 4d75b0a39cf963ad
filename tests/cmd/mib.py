# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Known traffic of the loopback device of a network name space: TCP, UDP, ICMP.
import socket
import struct
import sys
import threading


def serve(listener, connections):
    for _ in range(connections):
        connection = listener.accept()[0]
        while connection.recv(65536):
            pass
        connection.close()


def tcp(family, address):
    listener = socket.socket(family)
    listener.bind((address, 0))
    listener.listen(5)
    server = threading.Thread(target=serve, args=(listener, 5))
    server.start()
    for _ in range(5):
        connection = socket.create_connection(listener.getsockname()[:2])
        connection.sendall(b"x" * 300000)
        connection.close()
    server.join()
    for _ in range(3):
        try:
            socket.create_connection((address, 1))
        except ConnectionRefusedError:
            pass


def udp(family, address):
    receiver = socket.socket(family, socket.SOCK_DGRAM)
    receiver.bind((address, 0))
    sender = socket.socket(family, socket.SOCK_DGRAM)
    for _ in range(20):
        sender.sendto(b"y" * 100, receiver.getsockname())
    for _ in range(15):
        receiver.recv(1000)
    for _ in range(4):
        sender.sendto(b"z", (address, 9))


def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def echo(n):
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    for i in range(n):
        header = struct.pack("!BBHHH", 8, 0, 0, 1, i)
        raw.sendto(struct.pack("!BBHHH", 8, 0, checksum(header), 1, i), ("127.0.0.1", 0))
        raw.recv(1000)


def unanswered():
    """A host that does not answer: the request is sent again after a second."""
    connection = socket.socket()
    connection.settimeout(1.3)
    try:
        connection.connect(("192.0.2.1", 80))
    except OSError:
        pass
    connection.close()


FAMILIES = [(socket.AF_INET, "127.0.0.1")]
try:
    socket.socket(socket.AF_INET6).bind(("::1", 0))
    FAMILIES.append((socket.AF_INET6, "::1"))
except OSError:
    pass
for arguments in FAMILIES:
    tcp(*arguments)
    udp(*arguments)
echo(6)
if len(sys.argv) > 1:
    unanswered()
