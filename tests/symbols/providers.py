# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does what makes probes of many providers fire, each in its own function, and prints the stack that jstack() must show:
# "want PROVIDER FRAME;FRAME...". mark.so has a function `here` with a USDT probe, and two native frames below Python's.
#	providers.py FOLDER		FOLDER: with mark.so
import ctypes
import os
import signal
import sys
import time

library = ctypes.CDLL(sys.argv[1] + '/mark.so')
null = os.open('/dev/null', os.O_RDWR)


# Of `profile`, the line of the innermost function is not known: 0.
def say(provider, frame):
    frames = []
    while frame:
        code = frame.f_code
        frames.append(f'{code.co_qualname} ({code.co_filename}:{frame.f_lineno if frames or provider != "profile" else 0})')
        frame = frame.f_back
    print('want', provider, ';'.join(reversed(frames)), flush=True)


# Each call and its line are one line, because the stack has the line.
def at_syscall(n):
    say('syscall', sys._getframe()); os.lseek(null, 4242, os.SEEK_SET)  # noqa


def at_library(n):
    say('pid', sys._getframe()); say('mark', sys._getframe()); library.here(n)  # noqa


def at_sched(n):
    say('sched', sys._getframe()); time.sleep(0.11)  # noqa


def at_signal(n):
    say('proc', sys._getframe()); os.kill(os.getpid(), signal.SIGURG)  # noqa


def at_file(n):
    file = os.open(sys.argv[1] + '/file', os.O_WRONLY | os.O_CREAT)
    os.write(file, b'x' * 65536)
    say('fsinfo', sys._getframe()); os.fsync(file)  # noqa


def at_profile(n):
    say('profile', sys._getframe())
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass


def way(f, n):
    return list(map(f, [n])) if n == 0 else way(f, n - 1)


for f in at_syscall, at_library, at_sched, at_signal, at_file, at_profile:
    way(f, 3)
