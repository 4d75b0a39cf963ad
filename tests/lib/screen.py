# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A command on a pseudo-terminal, and the screen that it draws: what the tests of `dtr top` look at.

Screen interprets what ncurses writes for TERM=vt100, xterm, xterm-256color and linux. An escape sequence that it does
not know is an error, so a wrong screen is not taken for a right one.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

LIMIT = int(os.environ.get("SCREEN_LIMIT", 120))  # seconds; only ends a test that hangs


class Screen:
    def __init__(self, rows, cols):
        self.unknown = []
        self.colours = False  # any colour was used
        self.alternate = False
        self.pending = ""
        self.last = " "
        self.resize(rows, cols)

    def resize(self, rows, cols):
        self.rows, self.cols = rows, cols
        self.cells = [[" "] * cols for _ in range(rows)]
        self.y = self.x = 0
        self.top, self.bottom = 0, rows - 1
        self.saved = (0, 0)

    def lines(self):
        return ["".join(c).rstrip() for c in self.cells]

    def text(self):
        return "\n".join(self.lines())

    SEQUENCE = re.compile(r"\x1b(?:\[([?>=]?)([0-9;:]*)([@-~])|[()][A-Z0-9]|\][^\x07]*\x07|[=>78DMEHc])")

    def feed(self, data):
        s = self.pending + data
        self.pending = ""
        i = 0
        while i < len(s):
            if s[i] == "\x1b":
                m = self.SEQUENCE.match(s, i)
                if not m:
                    if len(s) - i < 64:
                        self.pending = s[i:]
                        return
                    self.unknown.append(s[i : i + 12])
                    i += 1
                    continue
                self.sequence(m)
                i = m.end()
            else:
                self.character(s[i])
                i += 1

    def character(self, c):
        if c == "\r":
            self.x = 0
        elif c == "\n":
            self.line_feed()
        elif c == "\b":
            self.x = max(self.x - 1, 0)
        elif c == "\t":
            self.x = min((self.x // 8 + 1) * 8, self.cols - 1)
        elif c in "\x0f\x0e\x07\x00":
            pass
        else:
            if self.x >= self.cols:
                self.x = 0
                self.line_feed()
            self.cells[self.y][self.x] = c
            self.last = c
            self.x += 1

    def line_feed(self):
        if self.y == self.bottom:
            self.scroll(self.top, 1)
        else:
            self.y = min(self.y + 1, self.rows - 1)

    def scroll(self, top, n):
        for _ in range(abs(n)):
            if n > 0:
                del self.cells[top]
                self.cells.insert(self.bottom, [" "] * self.cols)
            else:
                del self.cells[self.bottom]
                self.cells.insert(top, [" "] * self.cols)

    def erase(self, y, start, end):
        for x in range(start, min(end, self.cols)):
            self.cells[y][x] = " "

    def sequence(self, m):
        if m.group(3) is None:
            return self.escape(m.group(0)[1:])
        private, final = m.group(1), m.group(3)
        args = [int(a) if a else 0 for a in re.split("[;:]", m.group(2))] if m.group(2) else []
        n = args[0] if args and args[0] else 1
        self.x = min(self.x, self.cols - 1) if final not in "mhl" else self.x
        if final == "m":
            self.colours |= any(30 <= a <= 38 or 40 <= a <= 48 or 90 <= a <= 107 for a in args)
        elif final in "hl" or private:
            if private == "?" and 1049 in args:
                self.alternate = final == "h"
        elif final in "Hf":
            self.y = min(n, self.rows) - 1
            self.x = min(args[1] if len(args) > 1 and args[1] else 1, self.cols) - 1
        elif final == "A":
            self.y = max(self.y - n, 0)
        elif final in "Be":
            self.y = min(self.y + n, self.rows - 1)
        elif final in "Ca":
            self.x = min(self.x + n, self.cols - 1)
        elif final == "D":
            self.x = max(self.x - n, 0)
        elif final in "G`":
            self.x = min(n, self.cols) - 1
        elif final == "d":
            self.y = min(n, self.rows) - 1
        elif final == "J":
            self.erase_display(args[0] if args else 0)
        elif final == "K":
            mode = args[0] if args else 0
            self.erase(self.y, 0 if mode else self.x, self.x + 1 if mode == 1 else self.cols)
        elif final == "X":
            self.erase(self.y, self.x, self.x + n)
        elif final == "b":
            for _ in range(n):
                self.character(self.last)
        elif final == "P":
            line = self.cells[self.y]
            self.cells[self.y] = (line[: self.x] + line[self.x + n :] + [" "] * n)[: self.cols]
        elif final == "@":
            line = self.cells[self.y]
            self.cells[self.y] = (line[: self.x] + [" "] * n + line[self.x :])[: self.cols]
        elif final == "L":
            self.scroll(self.y, -n)
        elif final == "M":
            self.scroll(self.y, n)
        elif final == "S":
            self.scroll(self.top, n)
        elif final == "T":
            self.scroll(self.top, -n)
        elif final == "r":
            self.top = n - 1
            self.bottom = (args[1] if len(args) > 1 and args[1] else self.rows) - 1
            self.y = self.x = 0
        elif final in "tcn":
            pass
        else:
            self.unknown.append(m.group(0))

    def erase_display(self, mode):
        if mode == 0:
            self.erase(self.y, self.x, self.cols)
        for y in range(self.rows):
            if mode >= 2 or (mode == 0 and y > self.y) or (mode == 1 and y < self.y):
                self.erase(y, 0, self.cols)

    def escape(self, s):
        if s == "7":
            self.saved = (self.y, self.x)
        elif s == "8":
            self.y, self.x = self.saved
        elif s == "M":
            if self.y == self.top:
                self.scroll(self.top, -1)
            else:
                self.y = max(self.y - 1, 0)
        elif s in ("D", "E"):
            self.line_feed()
            self.x = 0 if s == "E" else self.x
        elif s[0] not in "()=>]Hc":
            self.unknown.append(s)


def spent(pid):
    """Processor time of all threads of a process, s."""
    total = 0
    for task in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/schedstat" % (pid, task)) as f:
                total += int((f.read() or "0").split()[0])
        except OSError:
            pass  # it has ended
    return total / 1e9


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, command, rows=24, cols=80, term="xterm-256color", env=None, cwd=None, stderr=None):
        self.screen = Screen(rows, cols)
        self.status = None
        self.master, self.slave = pty.openpty()
        self.size(rows, cols)
        self.before = termios.tcgetattr(self.slave)
        ready, go = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            self.child(command, dict(os.environ, TERM=term, LC_ALL="C.UTF-8", **(env or {})), cwd, stderr, ready)
        os.close(ready)
        os.close(go)
        os.set_blocking(self.master, False)

    def cost(self, seconds):
        """Processor time of the command while its output is read for `seconds`, in percent of one CPU."""
        before, begin = spent(self.pid), time.monotonic()
        while time.monotonic() < begin + seconds:
            self.read(0.2)
        return 100 * (spent(self.pid) - before) / (time.monotonic() - begin)

    def child(self, command, env, cwd, stderr, ready):
        try:
            os.close(self.master)
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(self.slave, fd)
            if stderr:
                os.dup2(os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
            if cwd:
                os.chdir(cwd)
            env.pop("NO_COLOR", None) if "NO_COLOR" not in env else None
            for s in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGHUP, signal.SIGPIPE):
                signal.signal(s, signal.SIG_DFL)
            os.execvpe(command[0], command, env)
        finally:
            os._exit(127)

    def size(self, rows, cols):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def resize(self, rows, cols):
        """Also tells the foreground processes (the kernel sends SIGWINCH)."""
        self.read(0)
        self.screen.resize(rows, cols)
        self.size(rows, cols)

    def read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.screen.feed(data.decode("utf-8", "replace"))
        return bool(data)

    def send(self, keys):
        os.write(self.master, keys.encode())

    def wait(self, condition):
        """Until condition(text of the screen) is true. Returns its value; false after LIMIT or when the command has
        ended without it."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            value = condition(self.screen.text())
            if value:
                return value
            if not self.read(0.1) and self.ended():
                while self.read(0):
                    pass
                return condition(self.screen.text())
        return False

    def wait_text(self, regex):
        return self.wait(lambda text: re.search(regex, text, re.M))

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    def end(self):
        """Waits for the end. Returns the exit status, -N after signal N, None if it does not end."""
        end = time.monotonic() + LIMIT
        while not self.ended() and time.monotonic() < end:
            self.read(0.1)
        while self.read(0):
            pass
        return None if self.status is None else os.waitstatus_to_exitcode(self.status)

    def restored(self):
        """Has the terminal its modes of before, and the screen of before?"""
        return termios.tcgetattr(self.slave) == self.before and not self.screen.alternate

    def close(self):
        if not self.ended():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)
        os.close(self.slave)
