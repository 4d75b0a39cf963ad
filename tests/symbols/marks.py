# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Calls mark() through the ways in which Python calls Python. mark() prints the stack that jstack() must show, with its
# number, then makes a system call with this number: lseek(2) on a file descriptor that nothing else uses.
#	marks.py FOLDER		FOLDER: for the modules that it imports
import asyncio
import atexit
import collections
import concurrent.futures
import contextlib
import ctypes
import functools
import gc
import itertools
import json
import operator
import os
import re
import signal
import string
import sys
import threading
import weakref

FD = os.dup2(os.open('/dev/null', os.O_RDWR), 99)
numbers = itertools.count(1000)
written = threading.Lock()


def chain(frame):
    frames = []
    while frame:
        code = frame.f_code
        frames.append(f'{getattr(code, "co_qualname", code.co_name)} ({code.co_filename}:{frame.f_lineno})')
        frame = frame.f_back
    return ';'.join(reversed(frames))


def say(number, text):
    with written:
        os.write(1, f'chain {number} {text}\n'.encode())


# On one line, because the program's own stack and that of the system call have it.
def mark(*ignored):
    n = next(numbers) * 100000 + os.getpid() % 100000; say(n, chain(sys._getframe())); os.lseek(FD, n, os.SEEK_SET)  # noqa


def recursion(n):
    return recursion(n - 1) if n else mark()


def mutual(n):
    return (lambda: mutual(n - 1))() if n else mark()


# ---- exceptions ----
def exceptions():
    try:
        try:
            raise ValueError
        except ValueError:
            mark()
            raise KeyError
        finally:
            mark()
    except KeyError:
        mark()
    else:
        pass
    with Manager():
        mark()
    with contextlib.suppress(ZeroDivisionError), Manager():
        1 / 0
    try:
        deep_raise(10)
    except RuntimeError as e:
        mark(e)


def deep_raise(n):
    try:
        if n:
            deep_raise(n - 1)
        raise RuntimeError
    finally:
        if n == 5:
            mark()


class Manager:
    def __enter__(self):
        mark()

    def __exit__(self, *what):
        mark()


@contextlib.contextmanager
def managed():
    mark()
    try:
        yield
    finally:
        mark()


# ---- closures, decorators ----
def counter(step):
    total = 0

    def outer(n):
        def inner():
            nonlocal total
            total += step
            mark()
        for _ in range(n):
            inner()
    return outer


def decorated(text):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return f(*args, **kwargs)
        return wrapper
    return decorate


@decorated('one')
@decorated('two')
@functools.lru_cache(maxsize=None)
def three_times(n):
    mark()


@functools.singledispatch
def dispatched(x):
    mark()


@dispatched.register
def _(x: int):
    mark()


# ---- classes ----
class Meta(type):
    def __new__(cls, name, bases, namespace):
        mark()
        return super().__new__(cls, name, bases, namespace)

    def __call__(cls, *args):
        mark()
        return super().__call__(*args)


class Described:
    def __set_name__(self, owner, name):
        mark()

    def __get__(self, of, owner=None):
        return mark()

    def __set__(self, of, value):
        mark()


def classes():
    class Base(metaclass=Meta):
        member = Described()

        def __init_subclass__(cls):
            mark()

        def __init__(self):
            mark()

        def __call__(self):
            mark()

        def __getattr__(self, name):
            return mark()

        def __getitem__(self, key):
            mark()
            return key

        def __iter__(self):
            mark()
            return iter((1, 2))

        def __hash__(self):
            mark()
            return 1

        def __eq__(self, other):
            mark()
            return True

        def __repr__(self):
            mark()
            return 'base'

        def __add__(self, other):
            mark()

        def __bool__(self):
            mark()
            return True

        def __len__(self):
            mark()
            return 3

        def __contains__(self, x):
            mark()
            return True

        def __del__(self):
            mark()

        @property
        def value(self):
            return mark()

        @functools.cached_property
        def cached(self):
            return mark()

        @classmethod
        def of_class(cls):
            mark()

        @staticmethod
        def of_none():
            mark()

    class Derived(Base):
        def __init__(self):
            super().__init__()

    d = Derived()
    d()
    d.member
    d.member = 1
    d.missing
    d[1]
    list(d)
    {d: 1}[d]
    f'{d!r}'
    d + 1
    if d and 1 in d:
        len(d)
    d.value
    d.cached
    d.of_class()
    d.of_none()
    del d

    @functools.total_ordering
    class Ordered:
        def __lt__(self, other):
            mark()
            return False

        def __eq__(self, other):
            mark()
            return False

    max(Ordered(), Ordered())
    Ordered() <= Ordered()


# ---- generators ----
def generator(n):
    if n:
        yield from generator(n - 1)
    else:
        yield mark()


def receiver():
    try:
        while True:
            mark((yield))
    except ValueError:
        mark()
        yield
    finally:
        mark()


def generators():
    list(generator(10))
    sum(1 for _ in (mark() for _ in range(2)))
    r = receiver()
    next(r)
    r.send(1)
    r.throw(ValueError)
    r.close()
    [mark() for _ in range(2)]
    {mark(): 1 for _ in range(1)}
    a, *b = (mark() for _ in range(2))
    dict(zip('ab', map(mark, generator(1))))
    any(mark() for _ in range(2))
    with managed():
        mark()


# ---- async functions ----
class Waited:
    def __await__(self):
        mark()
        yield from asyncio.sleep(0).__await__()
        mark()


class AsyncManager:
    async def __aenter__(self):
        mark()

    async def __aexit__(self, *what):
        mark()


async def agenerator():
    for i in range(2):
        mark()
        yield i
        await asyncio.sleep(0)


async def leaf(n):
    if n:
        await leaf(n - 1)
    else:
        await asyncio.sleep(0)
        mark()


async def main_async():
    mark()
    await leaf(5)
    await Waited()
    await asyncio.gather(leaf(1), leaf(2), leaf(3))
    async with AsyncManager():
        mark()
    async for i in agenerator():
        mark()
    [mark() async for i in agenerator()]
    task = asyncio.create_task(leaf(2))
    task.add_done_callback(mark)
    await task
    loop = asyncio.get_running_loop()
    loop.call_soon(functools.partial(mark, 1))
    await asyncio.sleep(0)
    await loop.run_in_executor(None, mark)
    await asyncio.wait_for(leaf(1), 60)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(leaf(1))
            group.create_task(leaf(0))
    except AttributeError:
        pass


# ---- functions in C that call ----
def by_c():
    sorted([2], key=mark)
    sorted([2, 1], key=functools.cmp_to_key(lambda a, b: mark() or 0))
    [3, 1].sort(key=lambda x: mark() or x)
    functools.reduce(lambda a, b: mark(), [1, 2, 3])
    functools.partial(functools.partial(mark, 1), 2)()
    list(map(lambda x: mark(), [1]))
    list(filter(mark, [1]))
    max([1, 2], key=lambda x: mark() or x)
    re.sub('a', lambda m: mark() or 'b', 'banana')
    json.loads('{"a": {"b": 1}}', object_hook=lambda o: mark() or o)
    json.dumps(object(), default=lambda o: mark())
    collections.defaultdict(mark)['a']
    list(itertools.starmap(mark, [(1, 2)]))
    list(itertools.groupby([1, 2], key=mark))
    list(iter(lambda: mark() or 1, 1))
    operator.methodcaller('method')(type('T', (), {'method': mark})())
    operator.attrgetter('a')(type('T', (), {'a': property(mark)})())
    bytes(type('T', (), {'__bytes__': lambda self: mark() or b''})())
    print(type('T', (), {'__str__': lambda self: mark() or ''})(), end='')
    isinstance(1, type('M', (type,), {'__instancecheck__': mark})('T', (), {}))
    string.Template('$a').safe_substitute(type('T', (), {'__getitem__': mark})())
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda a, b: mark() or 0)
    values = (ctypes.c_int * 2)(1, 2)
    ctypes.CDLL(None).qsort(values, ctypes.c_size_t(2), ctypes.c_size_t(4), compare)
    exec('def text():\n\n    mark()\ntext()')
    eval('mark()')
    eval(compile('[mark() for _ in range(1)]', 'ünï𠮷.py', 'eval'))
    o = type('T', (), {})()
    watch = weakref.ref(o, mark)
    del o
    weakref.finalize(type('T', (), {})(), mark)
    gc.callbacks.append(mark)
    gc.collect(0)
    gc.callbacks.remove(mark)
    signal.signal(signal.SIGUSR1, mark)
    signal.raise_signal(signal.SIGUSR1)
    return watch


# ---- code that is replaced ----
# Its memory is used again at once, for a function with the same name and the same table of lines, or for another one.
def replaced():
    def function():
        mark()

    for i in range(20):
        code = function.__code__.replace(co_firstlineno=1000 + 10 * i, co_filename=f'replaced_{i % 3}.py')
        type(function)(code, globals())()
        del code
    for i in range(20):
        names = {'mark': mark}
        exec('\n' * i + f'def made_{i}(): mark()', names)
        names[f'made_{i}']()


# ---- threads, processes ----
def threads():
    all = [threading.Thread(target=recursion, args=(i,)) for i in range(8)]
    all.append(threading.Timer(0, mark))
    for t in all:
        t.start()
    for t in all:
        t.join()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(mark, range(9)))
    sys.setprofile(lambda *a: None)
    recursion(2)
    sys.setprofile(None)


def forked():
    for i in range(3):
        pid = os.fork()
        if not pid:
            recursion(i)
            thread = threading.Thread(target=mark)
            thread.start()
            thread.join()
            os._exit(0)
        os.waitpid(pid, 0)


# An interpreter in this thread, called by this one. Its own stack begins with its text.
def interpreter():
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    text = """
import os, sys
def chain(frame):
    return (chain(frame.f_back) + ';' if frame.f_back else '') + \\
        f'{frame.f_code.co_qualname} ({frame.f_code.co_filename}:{frame.f_lineno})'
def mark(n):
    os.write(1, f'chain {n} {before};{chain(sys._getframe())}\\n'.encode()); os.lseek(99, n, os.SEEK_SET)
def recursion(k):
    recursion(k - 1) if k else mark(n)
sorted([3], key=recursion)
"""
    other = interpreters.create()
    for i in range(2):
        n = next(numbers) * 100000 + os.getpid() % 100000
        names = f'n = {n}; before = {{}}'
        interpreters.run_string(other, names.format(repr(chain(sys._getframe()))) + text)  # noqa
        mark()
    interpreters.destroy(other)
    mark()


def many_modules(folder):
    sys.path.insert(0, folder)
    for i in range(1000):
        with open(f'{folder}/module_{i}.py', 'w') as f:
            f.write('\n' * (i % 7) + 'def call(f, n):\n    f() if not n else call(f, n - 1)\n')
    for i in range(1000):
        module = __import__(f'module_{i}')
        if i % 10 == 0:
            module.call(mark, i % 4)


def main():
    mark()
    recursion(60)
    mutual(10)
    exceptions()
    counter(2)(3)
    three_times(1)
    dispatched(1)
    dispatched('1')
    classes()
    generators()
    asyncio.run(main_async())
    by_c()
    replaced()
    threads()
    forked()
    interpreter()
    thread = threading.Thread(target=interpreter)
    thread.start()
    thread.join()
    many_modules(sys.argv[1])
    atexit.register(mark)


main()
