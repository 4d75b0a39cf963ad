# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Calls spin() through every way in which Python calls Python. spin() prints the stack that jstack() must show, then
# uses CPU time.
#	interpreted.py MS FOLDER	CPU time of each spin(); FOLDER: for the second file
import ctypes
import functools
import os
import sys
import threading
import time


def chain(frame):
    frames = []
    while frame:
        frames.append(f'{frame.f_code.co_qualname} ({frame.f_code.co_filename}:{frame.f_lineno})')
        frame = frame.f_back
    return ';'.join(reversed(frames))


def spin():
    os.write(1, f'chain {chain(sys._getframe(1))}\n'.encode())
    end = time.thread_time_ns() + int(sys.argv[1]) * 1000000
    while time.thread_time_ns() < end:
        total = 0
        for i in range(1000):
            total += i * i


def recursion(n):
    if n:
        return recursion(n - 1)
    return spin()


def generator(n):
    if n:
        yield from generator(n - 1)
    else:
        yield spin()


class Class:
    def __init__(self, n):
        self.n = n
        spin()

    def method(self):
        return [x for x in (1,) if spin() is None]

    @property
    def value(self):
        return spin()

    def __lt__(self, other):
        spin()
        return False

    def __del__(self):
        if self.n == 2:
            spin()


def handler():
    try:
        raise ValueError
    except ValueError:
        spin()
    finally:
        spin()


async def inner():
    spin()


async def outer():
    await inner()


def coroutine():
    try:
        outer().send(None)
    except StopIteration:
        pass


def decorated(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)
    return wrapper


@decorated
def grüße_世界_𠮷():
    spin()


def by_library():
    values = (ctypes.c_int * 2)(1, 2)
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda a, b: spin() or 0)
    ctypes.CDLL(None).qsort(values, ctypes.c_size_t(2), ctypes.c_size_t(4), compare)


def by_many_lines():
    for i in range(2):
        if i:
            x = max(
                [1, 2],
                key=lambda y:
                spin() or y)
        else:
            x = (1 +
                 len([spin()]))
    return x


def threads():
    all = [threading.Thread(target=recursion, args=(i,)) for i in range(3)]
    for t in all:
        t.start()
    for t in all:
        t.join()


def main():
    recursion(30)
    list(generator(5))
    sorted([1, 2], key=lambda x: spin() or x)
    list(map(lambda x: spin(), [1]))
    functools.reduce(lambda a, b: spin(), [1, 2])
    c = Class(1)
    c.method()
    c.value
    min(c, c)
    Class(2)
    handler()
    coroutine()
    grüße_世界_𠮷()
    by_library()
    by_many_lines()
    threads()
    exec('def text():\n\n  spin()\ntext()')
    sys.path.insert(0, sys.argv[2])
    import other_file
    other_file.call(spin)


main()
