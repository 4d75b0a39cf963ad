# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Waits for a database, a disk, a lock and another thread, then computes, each in its own function, and prints the stack that jstack()
# must show there: "want PLACE FRAME;FRAME...".
#	waits.py FOLDER [DSN]		DSN: a database of PostgreSQL, for psycopg2; without it, a process answers
import mmap
import os
import socket
import sys
import threading
import time


# The caller of the function that waits is on the line of this call, too.
def say(place):
    frames, frame = [], sys._getframe(1)
    while frame:
        frames.append(f'{frame.f_code.co_qualname} ({frame.f_code.co_filename}:{frame.f_lineno})')
        frame = frame.f_back
    print('want', place, ';'.join(reversed(frames)), flush=True)


class Database:
    def __init__(self, dsn):
        import psycopg2
        self.cursor = psycopg2.connect(dsn).cursor()

    def orders(self, n):
        say('database'); self.cursor.execute('SELECT pg_sleep(0.1)')  # noqa

    def customers(self, n):
        say('database'); self.cursor.execute('SELECT 1')  # noqa


# Sends what it gets back: without a database.
class Echo:
    def __init__(self):
        self.near, far = socket.socketpair()
        if not os.fork():
            self.near.close()
            while data := far.recv(100):
                far.send(data)
            os._exit(0)
        far.close()

    def orders(self, n):
        self.near.send(b'query')
        say('database'); self.near.recv(100)  # noqa

    def customers(self, n):
        self.near.send(b'query')
        say('database'); self.near.recv(100)  # noqa


def at_io(n):
    file = os.open(sys.argv[1] + '/direct', os.O_RDWR | os.O_CREAT | os.O_DIRECT)
    page = mmap.mmap(-1, 65536)
    say('io'); os.write(file, page)  # noqa


def at_fsync(n):
    file = os.open(sys.argv[1] + '/file', os.O_WRONLY | os.O_CREAT)
    os.write(file, b'x' * 65536)
    say('fsync'); os.fsync(file)  # noqa


def at_futex(n):
    lock = threading.Lock()
    lock.acquire()
    say('futex'); lock.acquire(True, 0.05)  # noqa


# The other thread writes when this one waits in read(2).
def at_sched(n):
    reading, writing = os.pipe()

    def write():
        while not open(place).read().startswith(f'0 {reading:#x} '):
            time.sleep(0.01)
        os.write(writing, b'x')

    place = f'/proc/self/task/{threading.get_native_id()}/syscall'
    threading.Thread(target=write).start()
    say('sched'); os.read(reading, 1)  # noqa


def at_cpu(n):
    say('cpu'); sum(range(20000000))  # noqa


def way(f, n):
    return list(map(f, [n])) if n == 0 else way(f, n - 1)


database = Database(sys.argv[2]) if len(sys.argv) > 2 else Echo()
for f in database.orders, database.customers, at_fsync, at_futex, at_sched, at_cpu:
    way(f, 3)
try:
    way(at_io, 3)
except OSError:
    print('without io')
