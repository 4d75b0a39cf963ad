# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The part of top.t that looks at the screen. Prints "ok NAME", "not NAME" with details before it, or
"skip NAME|REASON", at last "end"."""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "lib"))
import screen  # noqa: E402

DTR = os.path.abspath(os.environ["DTR"])
SRC = os.path.abspath(os.environ["SRC"])
os.environ["DTR_SHARE"] = os.path.abspath(os.environ.get("DTR_SHARE", os.path.join(SRC, "share")))
os.environ["TZ"] = "UTC"
WORK = tempfile.mkdtemp()
UP, DOWN, RIGHT, LEFT = "\x1bOA", "\x1bOB", "\x1bOC", "\x1bOD"
TYPES = os.access("/sys/kernel/btf/vmlinux", os.R_OK)
UNTYPED = "this kernel offers no type information"
failed = False


def ok(passed, name, *details):
    global failed
    if not passed:
        failed = True
        for d in details:
            for line in str(d).splitlines():
                print("# " + line)
    print(("ok " if passed else "not ") + name, flush=True)


def skip(name, why):
    print("skip %s|%s" % (name, why), flush=True)


def can(what):
    return subprocess.run([os.path.join(os.path.dirname(DTR), "tests", "kernel", "can_bpf"), what]).returncode == 0


def top(*args, **kwargs):
    kwargs.setdefault("cwd", WORK)
    return screen.Terminal([DTR, "top", *args], **kwargs)


def finish(t, name, keys="q", status=0):
    """Ends it; it must restore the terminal, and have written only sequences that the screen knows."""
    t.send(keys)
    got = t.end()
    ok(got == status and t.restored() and not t.screen.unknown, name, "status %s" % got, "restored %s" % t.restored(),
       t.screen.unknown, t.screen.text())
    t.close()


# Adds 7, 30 and 400 to three rows, and 5 to a second table, in BEGIN.
COUNTS = """BEGIN { @first["gamma", 30] = sum(30); @first["alpha", 7] = sum(7); @first["beta", 400] = sum(400);
    @second["other"] = sum(5); }"""


def order(t, *names):
    """Waits until the names are on the screen in this order."""
    regex = ".*".join(names)
    return t.wait(lambda text: re.search(regex, text, re.S))


def test_keys():
    t = top("-i", "100ms", "-n", COUNTS)
    ok(order(t, r"\[1 first\] 2 second", "SHAREv", "91.53 %", "400", "beta", "gamma", "alpha"),
       "the largest value is first; shares", t.screen.text())
    ok("3 rows" in t.screen.text() and "since the start" in t.screen.text(), "the window and the rows", t.screen.text())
    ok(len(t.screen.lines()) == 24 and t.screen.lines()[23].startswith("q quit"), "24 lines of 80 columns",
       t.screen.text())
    t.send("r")
    ok(order(t, r"SHARE\^", "alpha", "gamma", "beta"), "r reverses", t.screen.text())
    t.send(">>")
    ok(order(t, r"KEY 1\^", "alpha", "beta", "gamma"), "> sorts by a text", t.screen.text())
    t.send(">")
    ok(order(t, r"KEY 2\^", "alpha", "gamma", "beta"), "> sorts by a number", t.screen.text())
    t.send("<<<")
    ok(order(t, r"SHAREv", "beta", "gamma", "alpha"), "< goes back", t.screen.text())
    t.send("/^(al|be)\n")
    ok(t.wait(lambda s: "2 rows, filter: ^(al|be)" in s and "gamma" not in s and "91.53 %" in s),
       "/ filters; shares stay those of all rows", t.screen.text())
    t.send("/\x15[\n")
    ok(t.wait_text(r"^filter '\[': ") and "2 rows" in t.screen.text(), "a bad expression is reported",
       t.screen.text())
    t.send("/\x15\n")
    ok(t.wait(lambda s: "3 rows" in s and "gamma" in s), "an empty filter shows all", t.screen.text())
    for keys, name in ("\t", "Tab"), ("1", None), ("2", "a digit"), (LEFT, None), (RIGHT, "an arrow"):
        t.send(keys)
        if name:
            ok(t.wait(lambda s: "[2 second]" in s and "other" in s and "beta" not in s), name + " turns to a tab",
               t.screen.text())
        else:
            t.wait(lambda s: "[1 first]" in s and "beta" in s)
    t.send("1")
    t.wait(lambda s: "[1 first]" in s)
    for window in "last interval", "last 10 intervals", "last 60 intervals", "since the start":
        t.send("w")
        ok(t.wait_text("top: " + window), "w: " + window, t.screen.text())
    t.send("p")
    ok(t.wait_text("rows, paused$"), "p pauses", t.screen.text())
    t.send("p")
    ok(t.wait(lambda s: "paused" not in s), "p continues", t.screen.text())
    t.send("h")
    ok(t.wait(lambda s: "regular expression" in s and "beta" not in s), "h shows help", t.screen.text())
    t.send("x")
    ok(t.wait(lambda s: "beta" in s and "Ctrl-L" not in s), "any key ends the help", t.screen.text())
    t.send("\x0c")
    test_page(t)
    test_sizes(t)
    finish(t, "q restores the terminal")


def test_page(t):
    t.send("/^(al|be)\n")
    t.wait(lambda s: "2 rows" in s)
    t.send("H")
    m = t.wait_text(r"^saved as (dtr-top-[0-9-]+\.html)$")
    ok(m, "H saves a page and shows its name", t.screen.text())
    page = open(os.path.join(WORK, m.group(1)), encoding="utf-8").read() if m else ""
    rows = re.findall(r"<tr>(?:<td[^>]*>[^<]*</td>)+</tr>", page)
    ok(len(rows) == 2 and "beta" in rows[0] and "91.53 %" in rows[0] and "alpha" in rows[1] and "gamma" not in page,
       "the page has the rows of the view", page)
    ok("<style>" in page and not re.search(r"(src|href)=|https?:", page), "the page is self-contained", page)
    t.send("/\x15\n")
    t.wait(lambda s: "3 rows" in s)


def test_sizes(t):
    for rows, cols in (50, 132), (10, 40), (24, 80):
        t.resize(rows, cols)
        ok(t.wait(lambda s: t.screen.lines()[rows - 1].startswith("q quit") and "SHAREv" in s and "91.53 %" in s),
           "%d lines of %d columns" % (rows, cols), t.screen.text())
    for rows, cols in (3, 10), (1, 1), (2, 200), (200, 3), (24, 80):
        t.resize(rows, cols)
        t.send("\x0c")
        t.read(0.2)
    ok(t.wait(lambda s: t.screen.lines()[23].startswith("q quit") and "91.53 %" in s) and not t.ended(),
       "tiny sizes do no harm", t.screen.text())


def test_terminals():
    for term, env, colours in (("vt100", {}, False), ("xterm-256color", {"NO_COLOR": "1"}, False),
                               ("linux", {}, True), ("xterm-256color", {}, True)):
        t = top("-i", "100ms", "-n", "BEGIN { @q = quantize(5); @q = quantize(5); @q = quantize(100); }", term=term,
                env=env)
        name = term + "".join(" " + e for e in env)
        ok(order(t, "quantize", r" 4 \| *@.*\| 2", r" 64 \| *[=+].*\| 1"), name + ": a heat map", t.screen.text())
        ok(t.screen.colours == colours, name + (": colours" if colours else ": no colours"))
        finish(t, name + ": q")
    for term in "no-such-terminal", "dumb":
        t = top("-n", "BEGIN", term=term)
        ok(t.end() == 1 and "terminal" in t.screen.text() and term in t.screen.text(), term + " is refused",
           t.screen.text())
        t.close()


def test_heat():
    """A value in the first interval, others later: columns of the same bucket."""
    t = top("-i", "100ms", "-n", "tick-100ms { @q = lquantize(i++ / 5, 0, 10, 1); }")

    def ends(text):
        """Where the line of each bucket ends: its newest interval."""
        return [len(m.group(1).rstrip()) for m in re.finditer(r"^ +\d+ \|(.*)\|", text, re.M)]

    # several buckets can be in one interval if dtr is late, but not all
    ok(t.wait(lambda s: len(set(ends(s))) > 1), "a later bucket has a column of its own", t.screen.text())
    text = t.screen.text()
    ok(ends(text) == sorted(ends(text)) and re.search(r"^ +0 \|.*\| 5$", text, re.M), "new intervals are on the right",
       text)
    t.send("\n")
    ok(t.wait(lambda s: " 0 |" not in s), "Enter closes a histogram", t.screen.text())
    finish(t, "heat: q")


def test_stacks():
    sleeper = subprocess.Popen(["python3", "-c", "import time\nwhile 1: time.sleep(0.005)"])
    t = top("-i", "100ms", "-p", str(sleeper.pid), "-n",
            "syscall::*nanosleep:entry /pid == $target/ { @calls[pid] = count(); "
            "@calls_stacks[pid, stack(), ustack()] = count(); @own[stack()] = count(); }")
    ok(t.wait_text(r"%d$" % sleeper.pid) and "stacks" not in t.screen.lines()[0], "a table of stacks has no tab",
       t.screen.text())
    t.send("\n")
    ok(t.wait_text(r"^ +\d+\.\d %  \d+ since the start\n(      .*\n)*      .*nanosleep"), "Enter shows stacks",
       t.screen.text())
    t.send("e")
    ok(t.wait(lambda s: "since the start\n  " not in s), "e closes them", t.screen.text())
    t.send("2")
    t.wait_text(r"\[2 own\]")
    t.send("\n")
    ok(t.wait_text(r"^      \S*sys\S*"), "a key's own stack", t.screen.text())
    finish(t, "stacks: q")
    sleeper.kill()
    sleeper.wait()


def nice_values(pid):
    stats = [open("/proc/%d/task/%s/stat" % (pid, t)).read() for t in os.listdir("/proc/%d/task" % pid)]
    return sorted(int(s.rsplit(")", 1)[1].split()[16]) for s in stats)


def test_stacks_later():
    """Without a script, the stacks have a session of their own, which begins when a row is expanded. Keys do not wait
    for it: here it waits for its script, which is a FIFO."""
    if not TYPES:
        return skip("stacks of a session of their own", UNTYPED)
    share = os.path.join(WORK, "share")
    shutil.copytree(os.environ["DTR_SHARE"], share)
    path = os.path.join(share, "tools", "top", "stacks.d")
    script = open(path, encoding="utf-8").read()
    os.remove(path)
    os.mkfifo(path)
    spinner = subprocess.Popen(["python3", "-c", "while 1: pass"])
    t = top("-i", "100ms", "-p", str(spinner.pid), env={"DTR_SHARE": share})
    t.wait_text(r"python3$")
    t.send("/python3\n\n")		# only this row, which is then expanded
    ok(t.wait_text("no stacks since they are collected"), "a row is expanded before there are stacks", t.screen.text())
    t.send("h")
    ok(t.wait_text("any key ends it"), "keys do not wait for the session of the stacks", t.screen.text())
    t.send("h")
    with open(path, "w", encoding="utf-8") as f:
        f.write(script)
    ok(t.wait_text(r"\d+\.\d %  \d+ since they are collected\n +\S"), "then the stacks appear", t.screen.text())
    if os.nice(0) == 0:
        ok(nice_values(t.pid)[0] == -10 and nice_values(t.pid)[1:] and 0 in nice_values(t.pid),
           "only the thread of the screen has a higher priority", nice_values(t.pid))
    finish(t, "stacks later: q")
    spinner.kill()
    spinner.wait()


def whole(shares):
    """The shares as numbers if they are 100 % together, or None."""
    numbers = [float(x) for x in shares]
    return numbers if 99 <= sum(numbers) <= 101 else None


def test_workload():
    """One process spins on its CPU: it is above all others of this test, and its shares are near its CPU time."""
    for args in ([], ["exact"]):
        if args and not TYPES:
            skip("exact", UNTYPED)
            continue
        spinner = subprocess.Popen(["python3", "-c", "while 1: pass"])
        t = top("-i", "200ms", "-F", "997", "-p", str(spinner.pid)) if not args else \
            top("-i", "200ms", "-p", str(spinner.pid), *args)
        row = r"^ *([\d.]+) %% .* (\d+) +%d  python3$" % spinner.pid
        ok(t.wait(lambda s: re.search(row, s, re.M) and int(re.search(row, s, re.M).group(2)) > (500 if not args else
           500000000)), "%s: a known workload is shown" % (args or "top"), t.screen.text())
        text = t.screen.text()
        ok(not args or "[1 processes] 2 threads  3 cpus" in text, "%s: tabs" % (args or "top"), text)
        # without the kernel's types the rootless engine runs it, which samples no others
        others = ".*others [\d.]+ %" if TYPES else ""
        ok(args or re.search(r"^user [\d.]+ %" + others, text, re.M), "%s: the summary" % (args or "top"), text)
        # waited for: what was read last may be the first part of a picture
        shares = t.wait(lambda s: whole(re.findall(r"^ *([\d.]+) %", s, re.M)))
        ok(shares, "%s: all rows are 100 %%" % (args or "top"), t.screen.text())
        ok(shares == sorted(shares or [], reverse=True), "%s: sorted by share" % (args or "top"), t.screen.text())
        finish(t, "%s: q" % (args or "top"))
        spinner.kill()
        spinner.wait()


def stolen():
    """The time that the host has taken from all CPUs, seconds."""
    with open("/proc/stat") as f:
        return int(f.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def test_exact_time():
    """The time of a process by dtr top exact, and by its own clock, over the same window."""
    if not TYPES:
        return skip("exact: the time of a process", UNTYPED)
    code = ("import time,sys\nsys.stdin.readline()\nb=time.process_time()\nwhile time.process_time()-b<0.5: pass\n"
            "print(time.process_time()-b, flush=True)\nsys.stdin.readline()\n")
    p = subprocess.Popen(["python3", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    t = top("exact", "-i", "100ms", "-p", str(p.pid))
    ok(t.wait_text(r"\(others\)|\(idle\)"), "exact: it has begun", t.screen.text())
    before = stolen()
    p.stdin.write("\n")
    p.stdin.flush()
    spent = float(p.stdout.readline())
    regex = r"%% +(\d+) +%d  python3$" % p.pid
    # A loaded host can take the CPU away in the middle: dtr counts that time for the process, its clock does not.
    own = lambda text: [int(n) / 1e9 for n in re.findall(regex, text, re.M)]
    ok(t.wait(lambda s: own(s) and own(s)[0] >= 0.9 * spent), "exact: the time of the process", t.screen.text(), spent)
    shown = (own(t.screen.text()) or [0])[0]
    ok(shown <= spent + 0.25 + stolen() - before, "exact: no more than its time", shown, spent, stolen() - before)
    finish(t, "exact: q")
    p.communicate("\n")


def test_known_count():
    """A program that makes a known number of calls."""
    known = 12345
    code = "import os,sys\nsys.stdin.readline()\nfor i in range(%d): os.getppid()\nsys.stdin.readline()" % known
    p = subprocess.Popen(["python3", "-c", code], stdin=subprocess.PIPE, text=True)
    t = top("-i", "100ms", "-p", str(p.pid), "-n", "syscall::getppid:entry /pid == $target/ { @n[pid] = count(); }")
    ok(t.wait_text("0 rows"), "nothing yet", t.screen.text())
    p.stdin.write("\n")
    p.stdin.flush()
    ok(t.wait_text(r"100\.00 %% +%d +%d$" % (known, p.pid)), "the count is that of the program", t.screen.text())
    finish(t, "known count: q")
    p.communicate("\n")


def test_first_table():
    t = top("-i", "1h", "-n", "BEGIN { @n[\"begun\"] = count(); }")
    ok(t.wait_text(r"100\.00 % +1 +begun$"), "the first table comes before the first interval has passed",
       t.screen.text())
    finish(t, "first table: q")


def test_no_aggregations():
    t = top("-i", "100ms", "-n", "BEGIN { printf(\"\\n\"); } tick-1h { }")
    ok(t.wait_text("^the script has no aggregations$"), "a script without aggregations", t.screen.text())
    time.sleep(0.5)
    t.read(0)
    ok(t.wait_text("^the script has no aggregations$"), "empty lines of output replace no message", t.screen.text())
    finish(t, "a script without aggregations: q")


def test_ends():
    for how, status in (("\x03", 0), (signal.SIGTERM, 0), (signal.SIGINT, 0)):
        t = top("-i", "100ms", "-n", COUNTS)
        t.wait_text("beta")
        if isinstance(how, str):
            finish(t, "Ctrl-C restores the terminal", how, status)
        else:
            os.kill(t.pid, how)
            finish(t, how.name + " restores the terminal", "", status)
    t = top("-n", "BEGIN { this is wrong }")
    ok(t.end() == 1 and t.restored() and
       re.match("dtr: invalid probe specifier .* syntax error", t.screen.text(), re.S),
       "an error of the script is printed as always", t.screen.text())
    t.close()
    # the session ends by itself: aggregations are printed
    t = top("-i", "100ms", "-n", COUNTS + " tick-300ms { exit(3); }")
    ok(t.end() == 3 and t.restored() and re.search(r"beta +400 +400", t.screen.text()),
       "exit() ends it, with its status and its aggregations", t.status, t.screen.text())
    t.close()
    # q: they are not
    t = top("-i", "100ms", "-n", 'BEGIN { printf("hello from BEGIN\\n"); } ' + COUNTS + ' END { printf("bye\\n"); }',
            term="vt100")
    ok(t.wait_text("^hello from BEGIN$") and t.screen.lines()[23] == "hello from BEGIN",
       "the output is in the last line", t.screen.text())
    t.send("q")
    t.end()
    text = t.screen.text()
    ok(re.search(r"hello from BEGIN\s.*bye", text, re.S), "the output is printed after the end", text)
    t.close()


def test_messages():
    """A run-time error goes to the status line, and to standard error after the end."""
    log = os.path.join(WORK, "log")
    t = top("-i", "100ms", "-n", "tick-100ms /!i++/ { @[*(int *)0] = count(); }", stderr=log)
    ok(t.wait_text("^dtr: .*address") and t.screen.lines()[23].startswith("dtr: "), "a message is in the last line",
       t.screen.text())
    ok(open(log).read() == "", "nothing is written over the screen", open(log).read())
    finish(t, "messages: q")
    ok(re.search("^dtr: .*address", open(log).read()), "messages are printed after the end", open(log).read())


def state(pid):
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def test_stop():
    t = top("-i", "100ms", "-n", COUNTS)
    t.wait_text("beta")
    modes = screen.termios.tcgetattr(t.slave)
    t.send("\x1a")
    ok(t.wait(lambda s: state(t.pid) == "T" and t.restored()), "Ctrl-Z stops it and restores the terminal")
    t.screen.resize(24, 80)
    os.kill(t.pid, signal.SIGCONT)
    ok(t.wait_text("91.53 %.*beta") and screen.termios.tcgetattr(t.slave) == modes, "fg draws the screen again",
       t.screen.text())
    finish(t, "after Ctrl-Z: q")


def test_other_ends():
    t = top("-i", "100ms", "-n", COUNTS)
    t.wait_text("beta")
    os.close(t.slave)
    os.close(t.master)          # the kernel sends SIGHUP
    end = time.monotonic() + screen.LIMIT
    while not t.ended() and time.monotonic() < end:
        time.sleep(0.05)
    ok(t.ended(), "it ends with its terminal", t.status)
    # the script is standard input: keys come from the terminal
    piped = "echo '%s' | exec \"$0\" top -i 100ms -s -" % COUNTS.replace("\n", " ")
    t = screen.Terminal(["sh", "-c", piped, DTR], cwd=WORK)
    ok(t.wait_text("beta"), "-s -: the script is read", t.screen.text())
    finish(t, "-s -: keys come from the terminal")
    # the end of the command ends it
    t = top("-i", "100ms", "-n", "syscall::write:entry /pid == $target/ { @w[execname] = count(); }", "-c",
            "sh -c 'echo said; exit 5'", term="vt100")
    ok(t.end() == 0 and re.search(r"^said\n(.*\n)*  sh +1$", t.screen.text(), re.M), "the end of the command", t.status,
       t.screen.text())
    t.close()


def test_missing_library():
    """In a mount name space in which the library is an empty file."""
    paths = [m.group(1) for m in re.finditer(r"libncursesw\.so\.6 .*=> (\S+)", subprocess.run(
        ["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout)]
    hide = "".join("mount --bind /dev/null %s && " % os.path.realpath(p) for p in paths)
    t = screen.Terminal(["unshare", "-m", "sh", "-c", hide + 'exec "$0" top -n BEGIN', DTR], cwd=WORK)
    ok(paths and t.end() == 1 and t.restored() and
       "dtr: top: libncursesw.so.6 is not installed (Debian: libncursesw6)" in t.screen.text(),
       "a missing library is reported", t.status, t.screen.text())
    t.close()


def test_command():
    t = top("-i", "100ms", "-n", "syscall::write:entry /pid == $target/ { @w[execname] = count(); }", "-c",
            "sh -c 'echo said by the command; sleep 100'", term="vt100")
    ok(t.wait_text(r" 1 +sh$") and t.wait_text("^said by the command$") and
       t.screen.lines()[23] == "said by the command", "the output of a command is in the last line", t.screen.text())
    t.send("q")
    ok(t.end() == 0 and t.restored() and "said by the command" in t.screen.text(), "and printed after the end",
       t.screen.text())
    t.close()
    # the command is run up to the point at which its functions are known
    if not can("ptrace"):
        return skip("-c with probes of the command", "ptrace() is not permitted")
    t = top("-i", "100ms", "-n", "pid$target::main:entry { @calls[execname, probefunc] = count(); }", "-c",
            os.path.join(os.path.dirname(DTR), "tests", "kernel", "busy") + " 100000 split 1 0")
    ok(t.wait_text(r" 1 +busy +main$"), "-c with probes of the command", t.screen.text())
    finish(t, "-c with probes of the command: q")


def test_docs():
    text = open(os.path.join(SRC, "docs", "top.md"), encoding="utf-8").read()
    commands = re.findall(r"^```console\ndtr (top.*)$", text, re.M)
    ok(len(commands) >= 2, "docs/top.md has examples")
    for c in commands:
        t = screen.Terminal(["sh", "-c", 'exec "$0" ' + c, DTR], cwd=WORK)
        ok(t.wait_text("SHARE"), "docs/top.md: dtr " + c, t.screen.text())
        finish(t, "docs/top.md: q ends dtr " + c)


def main():
    os.environ.pop("NO_COLOR", None)
    tests = [f for n, f in sorted(globals().items()) if n.startswith("test_") and f.__code__.co_argcount == 0]
    wanted = sys.argv[1:]
    try:
        for f in tests:
            if not wanted or f.__name__ in wanted:
                f()
    finally:
        shutil.rmtree(WORK)
    print("end")
    return 0


sys.exit(main())
