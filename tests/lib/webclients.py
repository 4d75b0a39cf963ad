# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""HTTP for the tests of dtr serve.

webclients.py clients URL N     N clients at once; prints how often each status came. At most BEFORE of them are connected
                          before they send their requests
webclients.py slow URL N        N clients that send half a request and wait for a line on standard input
webclients.py trickle URL N     N clients that send a byte each second until there is a line on standard input
webclients.py hostile URL       requests that no client should send; prints what each one got
webclients.py stub DIR FAIL     a store of profiles: prints its port, refuses the first FAIL requests with status 503, then
                          accepts, and stores each request as DIR/N.path, N.type, N.body; a file DIR/status has the
                          status of the answers from then on
"""
import collections
import http.server
import os
import select
import socket
import sys
import urllib.parse


def connect(url):
    u = urllib.parse.urlsplit(url)
    s = socket.create_connection((u.hostname, u.port), timeout=120)
    return s, u.path


def status_of(s):
    data = b""
    while True:
        part = s.recv(65536)
        if not part:
            break
        data += part
    return data.split(b" ")[1].decode() if data.startswith(b"HTTP/") else "nothing"


BEFORE = 400


def clients(url, n):
    open_ = []
    for _ in range(min(n, BEFORE)):
        open_.append(connect(url))
    for i in range(n):
        if i >= BEFORE:
            open_.append(connect(url))
        s, path = open_[i]
        s.sendall(("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path).encode())
    count = collections.Counter(status_of(s) for s, _ in open_)
    print(" ".join("%s:%d" % c for c in sorted(count.items())))


def slow(url, n):
    open_ = [connect(url) for _ in range(n)]
    for s, path in open_:
        s.sendall(("GET %s HTTP/1.1\r\nHost:" % path).encode())
    print("ready", flush=True)
    sys.stdin.readline()


def trickle(url, n):
    """No client is ever idle, and no request is ever complete."""
    open_ = [connect(url)[0] for _ in range(n)]
    for s in open_:
        s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], 1)[0]:
        for s in open_:
            try:
                s.sendall(b"x")
            except OSError:
                pass


def hostile(url):
    requests = {
        "garbage": b"\0\xff\x16\x03\x01 garbage\r\n\r\n",
        "long-header": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 300000 + b"\r\n\r\n",
        "long-path": b"GET /" + b"y" * 300000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "path": b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "script": b"GET /metrics?n=BEGIN%7Bexit(3);%7D HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "accept": b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: " + b",;q=," * 1000 + b"\r\n\r\n",
        "delete": b"DELETE /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    }
    for name, text in requests.items():
        s, _ = connect(url)
        if name == "garbage":
            s.settimeout(1)     # no answer may be the answer
        try:
            s.sendall(text)
            print(name, status_of(s))
        except OSError:
            print(name, "closed")
        s.close()


class Store(http.server.BaseHTTPRequestHandler):
    folder = None
    left = 0
    number = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = 200
        try:
            with open(os.path.join(Store.folder, "status"), encoding="ascii") as f:
                status = int(f.read())
        except OSError:
            pass
        if Store.left > 0:
            Store.left -= 1
            status = 503
        elif status == 200:
            Store.number += 1
            for ending, data in ("body", body), ("type", self.headers["Content-Type"].encode()), \
                    ("path", self.path.encode()):
                name = os.path.join(Store.folder, "%d.%s" % (Store.number, ending))
                with open(name + ".new", "wb") as f:
                    f.write(data)
                os.rename(name + ".new", name)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


def stub(folder, fail, port=0):
    Store.folder = folder
    Store.left = fail
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Store)
    print(server.server_address[1], flush=True)
    server.serve_forever()


def main():
    what, *args = sys.argv[1:]
    if what == "hostile":
        hostile(args[0])
    elif what == "stub":
        stub(args[0], *map(int, args[1:]))
    else:
        {"clients": clients, "slow": slow, "trickle": trickle}[what](args[0], int(args[1]))


main()
