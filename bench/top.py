# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What refreshing the tables of `dtr top` costs: bench/top.py DTR [ROWS [SECONDS]], as root. Prints the processor time
of dtr, in percent of one CPU."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "lib"))
import screen  # noqa: E402

PROGRAM = """import ctypes, time
c = ctypes.CDLL(None)
while 1:
    for i in range(%d):
        c.getpriority(7, i)
    time.sleep(1)"""
# Functions and the keys that are pressed.
CASES = (("count()", ""), ("count()", "wwws/[0-9]5\n"), ("avg(arg1)", "w"), ("quantize(arg1)", ""),
         ("quantize(arg1)", "www"))


def measure(dtr, pid, function, keys, seconds):
    script = "syscall::getpriority:entry /pid == $target/ { @[execname, arg1] = %s; }" % function
    t = screen.Terminal([dtr, "top", "-p", str(pid), "-n", script], rows=50, cols=120)
    t.wait_text(r"[1-9]\d* rows")
    t.send(keys)
    for _ in range(6):
        t.read(0.5)
    cost = t.cost(seconds)
    print("%-15s %-16s %5.2f %%   %s" % (function, repr(keys), cost, t.screen.lines()[1]), flush=True)
    t.send("q")
    t.end()
    t.close()


def main():
    dtr, rows, seconds = sys.argv[1], int((sys.argv[2:] + ["10000"])[0]), int((sys.argv[3:] + ["8"])[0])
    p = subprocess.Popen([sys.executable, "-c", PROGRAM % rows])
    for function, keys in CASES:
        measure(dtr, p.pid, function, keys, seconds)
    p.kill()


main()
