# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Functions named a, b and c take about 50, 30 and 20 % of the CPU time, in random slices and in many ways: a function
# for each way, which is in every stack. Prints "truth WAY PART NANOSECONDS", by the clock of the thread.
#	shares.py MILLISECONDS FOLDER	MILLISECONDS: of each way; FOLDER: for the modules that it imports
import asyncio
import os
import random
import sys
import threading
import time

LENGTH = int(sys.argv[1]) * 1000000
now = time.thread_time_ns


def burn():
    begin = now()
    end = begin + random.randrange(50000, 150000)
    at = begin
    while at < end:
        for _ in range(20):
            pass
        at = now()
    return at - begin


def say(way, truth):
    text = ''.join(f'truth {way} {part} {ns}\n' for part, ns in truth.items())
    os.write(1, text.encode())


def choose():
    return random.choices('abc', (50, 30, 20))[0]


# call(part) runs burn() in the function of the part and returns its result.
def slices(way, call, length=LENGTH):
    truth = dict.fromkeys('abc', 0)
    end = now() + length
    while now() < end:
        part = choose()
        truth[part] += call(part)
    say(way, truth)


# ---- ways ----
def a():
    return burn()


def b():
    return burn()


def c():
    return burn()


parts = {'a': a, 'b': b, 'c': c}


def plain():
    slices('plain', lambda part: parts[part]())


def callbacks():
    slices('callbacks', lambda part: sorted([1], key=lambda _: 0) and list(map(lambda f: f(), [parts[part]]))[0])


def generators():
    def a():
        while True:
            yield burn()

    def b():
        while True:
            yield burn()

    def c():
        while True:
            yield from (burn() for _ in range(3))
    running = {'a': a(), 'b': b(), 'c': c()}
    slices('generators', lambda part: next(running[part]))


def recursion():
    def a(n=9):
        return a(n - 1) if n else burn()

    def b(n=40):
        return b(n - 1) if n else burn()

    def c(n=3):
        return max([n], key=lambda _: 1) and c(n - 1) if n else burn()
    recursive = {'a': a, 'b': b, 'c': c}
    slices('recursion', lambda part: recursive[part]())


def exceptions():
    def a():
        try:
            raise ValueError
        except ValueError:
            return burn()

    def b():
        ns = 0
        try:
            try:
                raise ValueError
            finally:
                ns = burn()
        except ValueError:
            return ns

    def c():
        raise KeyError(burn())
    raising = {'a': a, 'b': b, 'c': c}

    def call(part):
        try:
            return raising[part]()
        except KeyError as e:
            return e.args[0]
    slices('exceptions', call)


async def coroutines():
    async def a():
        await asyncio.sleep(0)
        return burn()

    async def b():
        await asyncio.sleep(0)
        return burn()

    def task():
        return asyncio.create_task(b())

    async def c():
        async for ns in several():
            return ns

    async def several():
        yield burn()
    awaited = {'a': a, 'b': task, 'c': c}
    truth = dict.fromkeys('abc', 0)
    end = now() + LENGTH
    while now() < end:
        part = choose()
        truth[part] += await awaited[part]()
    say('coroutines', truth)


def threads():
    def work():
        slices('threads', lambda part: parts[part](), LENGTH // 4)

    all = [threading.Thread(target=work) for _ in range(4)]
    for t in all:
        t.start()
    for t in all:
        t.join()


def forked():
    for _ in range(2):
        if not os.fork():
            random.seed()
            slices('forked', lambda part: parts[part](), LENGTH // 2)
            os._exit(0)
    os.wait()
    os.wait()


def interpreters():
    try:
        import _interpreters as module
    except ImportError:
        import _xxsubinterpreters as module
    with open(__file__) as f:
        text = f.read()
    text = text.partition('\ndef callbacks')[0]
    other = module.create()
    module.run_string(other, f'import sys\nsys.argv = ["", "{sys.argv[1]}"]\n{text}\n'
                      'def interpreter():\n    slices("interpreter", lambda part: parts[part]())\ninterpreter()\n')
    module.destroy(other)


# Function a is in module_0, b in module_1, and so on: a third of the modules each.
def modules():
    folder = sys.argv[2]
    sys.path.insert(0, folder)
    several = {'a': [], 'b': [], 'c': []}
    for i in range(1000):
        part = 'abc'[i % 3]
        with open(f'{folder}/module_{part}{i}.py', 'w') as f:
            f.write('\n' * (i % 7) + f'def {part}(burn):\n    return burn()\n')
        several[part].append(getattr(__import__(f'module_{part}{i}'), part))
    slices('modules', lambda part: random.choice(several[part])(burn))


# ---- callers ----
plain()
callbacks()
generators()
recursion()
exceptions()
asyncio.run(coroutines())
threads()
forked()
interpreters()
modules()
