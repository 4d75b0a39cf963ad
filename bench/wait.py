# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What people wait for, beyond start to end: bench/wait.py DTR, as root.

Three tables. Programs and memory while a tool runs: its process (VmHWM) and its maps in the kernel (memlock of
/proc/PID/fdinfo), and how many instructions the kernel's verifier has checked. Screens: the first rows, the time until
a key has an effect, the processor time of the process, of one CPU, and its memory. Pages of `dtr serve`."""
import glob
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "lib"))
import screen  # noqa: E402

DTR = sys.argv[1]
SECONDS = float(os.environ.get("SECONDS_EACH", 10))
KEYS = 10


def read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


def high_water(pid):
    """Peak memory of a process, MB."""
    found = re.search(r"VmHWM:\s+(\d+)", read("/proc/%d/status" % pid))
    return int(found.group(1)) / 1024 if found else 0


def in_kernel(pid):
    """MB of maps, number of programs, instructions that the verifier checked."""
    maps = {}
    programs = {}
    for path in glob.glob("/proc/%d/fdinfo/*" % pid):
        f = dict(line.split(":", 1) for line in read(path).splitlines() if ":" in line)
        if "map_id" in f:
            maps[f["map_id"]] = int(f["memlock"])
        elif "prog_id" in f and "verified_insns" in f:	# not a link
            programs[f["prog_id"]] = int(f["verified_insns"])
    return sum(maps.values()) / 2 ** 20, len(programs), sum(programs.values())


def children(pid):
    return read("/proc/%d/task/%d/children" % (pid, pid)).split()


def tool(name, *command):
    """The last argument is the option for a command, which runs once all is armed."""
    p = subprocess.Popen([*command, "/bin/sleep 4"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    limit = time.monotonic() + 60
    while p.poll() is None and time.monotonic() < limit:
        # bpftrace's child waits in a pipe's read() before
        if any("(sleep) S" in read("/proc/%s/stat" % c) for c in children(p.pid)):
            break
        time.sleep(0.02)
    time.sleep(0.5)
    if p.poll() is None:
        maps, n, verified = in_kernel(p.pid)
        print("%-34s %9.1f %9.1f %9d %12d" % (name, high_water(p.pid), maps, n, verified), flush=True)
        p.terminate()
    else:
        print("%-34s does not run here" % name, flush=True)
    p.wait()


def tools():
    print("%-34s %9s %9s %9s %12s" % ("while a tool runs", "MB", "maps MB", "programs", "verified"))
    for name in "trace", "offcpu", "biosnoop", "tcplife", "opensnoop", "execsnoop":
        tool("dtr " + name, DTR, name, "-c")
    for name in "biosnoop", "tcplife", "opensnoop", "execsnoop":
        path = shutil.which(name + ".bt", path="/usr/sbin")
        if path and shutil.which("bpftrace"):
            tool("bpftrace's " + name, "bpftrace", path, "-c")
    print(flush=True)


def key_times(t, key, there, back):
    """Presses a key and its opposite in turns; the time until each has its effect, s."""
    times = []
    for i in range(KEYS):
        for press, want in ((key, there), (back[0], back[1])):
            t.read(0.05 + 0.13 * (i % 5))	# anywhere in an interval
            before = time.monotonic()
            t.send(press)
            if not t.wait_text(want):
                return []
            times.append(time.monotonic() - before)
    return sorted(times)


def show(name, command, rows, key=None, there=None, back=None):
    if not shutil.which(command[0]):
        return
    begin = time.monotonic()
    t = screen.Terminal(command, rows=40, cols=120, term="xterm")
    shown = t.wait_text(rows)
    first = time.monotonic() - begin
    for _ in range(10):
        t.read(0.1)
    cost = t.cost(SECONDS)
    times = key_times(t, key, there, back) if key else []
    print("%-34s %9s %9s %9s %9.2f %9.1f %9.1f" % (
        name, "%.2f" % first if shown else "-", *("%.3f" % times[i] if times else "-" for i in (len(times) // 2, -1)),
        cost, high_water(t.pid), in_kernel(t.pid)[0]), flush=True)
    t.send("q")
    t.end()
    t.close()


def screens():
    print("%-34s %9s %9s %9s %9s %9s %9s" % ("screens", "rows s", "key s", "most s", "CPU %", "MB", "maps MB"))
    usual = ("h", r"any key ends it", ("h", r"NAME$"))
    show("dtr top", [DTR, "top"], r"\d+\.\d+ +- +\d+\.\d+", *usual)
    show("dtr top exact", [DTR, "top", "exact"], r"\d\.\d\d %", *usual)
    show("top -d 1", ["top", "-d", "1"], r"^ *\d+ root", "h", r"Help for", ("q", r"^ *\d+ root"))
    show("htop", ["htop", "-d", "10"], r"^ *\d+ root", "h", r"[Pp]ress any key", (" ", r"^ *\d+ root"))
    show("perf top", ["perf", "top", "-d", "1"], r"\d+\.\d\d%")
    print(flush=True)


def page(path):
    begin = time.monotonic()
    with urllib.request.urlopen("http://127.0.0.1:9439" + path) as r:
        size = len(r.read())
    return time.monotonic() - begin, size


def pages():
    print("%-34s %9s %9s %9s %9s" % ("dtr serve, @[stack(), ustack()]", "first s", "later s", "KB", "MB"))
    script = "profile-97 { @[execname, stack(), ustack()] = count(); }"
    p = subprocess.Popen([DTR, "serve", "--listen", "127.0.0.1:9439", "-n", script], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            page("/healthz")
            break
        except OSError:
            time.sleep(0.1)
    time.sleep(SECONDS)
    for path in "/flame", "/profile", "/metrics":
        first, size = page(path)
        time.sleep(1.5)		# older copies are not sent
        later = page(path)[0]
        print("%-34s %9.3f %9.3f %9d %9.1f" % (path, first, later, size // 1024, high_water(p.pid)), flush=True)
    p.terminate()
    p.wait()


what = {"tools": tools, "screens": screens, "pages": pages}
for name in sys.argv[2:] or what:
    what[name]()
