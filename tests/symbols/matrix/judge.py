#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares sampled stacks with the chain of functions of tests/symbols/matrix.

usage: judge.py EXPECTED THREADS NAMES SOURCE MAPS FILE=ORIGINAL... <STACKS.json
EXPECTED: whole: the chain, and below it everything down to the first function; chain: the chain; leaf: the last
function. THREADS: helpers if the runtime has other threads, which are not in the chain, and interrupts the chain by
signals. NAMES: 1 if dtr must know the functions' names. SOURCE: the source file in which dtr must have found them, or
-. MAPS: /proc/PID/maps of the process. ORIGINAL: the file with all symbols of which FILE, a file that the process has
mapped, was made.

At most one stack in 200 may lack frames. A frame that should not be there is never right.
"""
import bisect
import collections
import json
import re
import struct
import subprocess
import sys

CHAIN = ['chainleaf', 'chaininner', 'chaininner', 'chaininner', 'chainmiddle', 'chainouter']
ROOTS = re.compile(r'_start$|_start_user$|_rt0_|runtime\.(goexit|rt0_go|mcall|mstart)|clone')
PART = re.compile('chain(leaf|inner|middle|outer)')
LEAST = 100     # stacks in the chain


class Original:
    """Segments and functions of a file."""
    def __init__(self, path):
        with open(path, 'rb') as f:
            image = f.read(1 << 16)
        phoff, = struct.unpack_from('<Q', image, 32)
        size, count = struct.unpack_from('<HH', image, 54)
        headers = [struct.unpack_from('<IIQQQQ', image, phoff + i * size) for i in range(count)]
        self.loads = [(h[2], h[3], h[5]) for h in headers if h[0] == 1 and h[1] & 1]
        listed = subprocess.run(['nm', '--defined-only', path], check=True, capture_output=True, text=True).stdout
        functions = sorted((int(line[:16], 16), line[19:]) for line in listed.splitlines() if line[17] in 'tTwWiV')
        self.starts = [f[0] for f in functions]
        self.names = [f[1] for f in functions]

    def function(self, offset, caller):
        """All names of the function at an offset in the file. A caller continues behind the call."""
        for start, address, size in self.loads:
            if start <= offset < start + size:
                at = bisect.bisect_right(self.starts, offset - start + address - caller) - 1
                first = bisect.bisect_left(self.starts, self.starts[at]) if at >= 0 else 0
                return ' '.join(self.names[first:at + 1])
        return ''


class Process:
    def __init__(self, maps, originals):
        self.mapped = set()
        for line in open(maps, encoding='utf-8'):
            f = line.split(None, 5)
            if 'x' in f[1]:
                start, end = (int(x, 16) for x in f[0].split('-'))
                name = re.sub(r' \(deleted\)$', '', f[5].strip() if len(f) > 5 else '')
                self.mapped.add((start, end, int(f[2], 16), re.sub('.*[/:]', '', name)))
        self.originals = originals

    def function(self, address, caller):
        """Names of the function at an address, '' if unknown, None if the address is not executable."""
        for start, end, offset, name in self.mapped:
            if start <= address < end:
                o = self.originals.get(name)
                return o.function(address - start + offset, caller) if o else ''
        return None


def part_of_chain(name):
    found = PART.search(name.lower())
    return found.group(0) if found else ''


class Judge:
    def __init__(self, expected, names, source, process):
        self.expected, self.names, self.source, self.process = expected, names, source, process
        self.count = collections.Counter()
        self.examples = {}

    def right(self, got, together):
        """Are these the functions of the chain, as far as they go?"""
        if self.expected == 'leaf':
            return got[0] == CHAIN[0]
        return together and got == CHAIN[:len(got)]

    def verdict(self, frames):
        functions = [self.process.function(int(f['address'], 16), i > 0) for i, f in enumerate(frames)]
        if not frames:
            return 'without frames'
        if None in functions:
            return 'WRONG: not executable'
        parts = [part_of_chain(f) for f in functions]
        first = next((i for i, p in enumerate(parts) if p), None)
        if first is None:
            return 'elsewhere'
        got = [p for p in parts[first:] if p]
        if not self.right(got, parts[first:first + len(got)] == got):
            return 'WRONG: another chain'
        for frame, part in zip(frames[first:], parts[first:]):
            if self.names and part and part not in frame['symbol'].lower():
                return 'WRONG: without its name'
            if self.source and part and not frame.get('file', '').endswith(self.source):
                return 'WRONG: without its line'
        if self.expected in ('whole', 'chain') and len(got) < len(CHAIN):
            return 'cut below a signal handler' if first else 'cut in the chain'
        if self.expected == 'whole' and not ROOTS.search(functions[-1] or frames[-1]['symbol']):
            return 'cut below the chain'
        return 'good'

    def judge(self, frames, count):
        frames = [f for f in frames if 'inlined' not in f]
        verdict = self.verdict(frames)
        self.count[verdict] += count
        self.examples.setdefault(verdict, [
            f"{f.get('address')} {f['symbol']} {f.get('file', '')} = "
            f"{self.process.function(int(f['address'], 16), i > 0)}" for i, f in enumerate(frames)])

    def passes(self, helpers):
        good, all_of_them = self.count['good'], sum(self.count.values()) - self.count['without frames']
        lacking = all_of_them - good
        if helpers:
            lacking -= self.count['elsewhere'] + self.count['cut below a signal handler']
        return good >= LEAST and lacking * 200 <= all_of_them and not any(v.startswith('WRONG') for v in self.count)


def main():
    expected, helpers, names, source, maps, *files = sys.argv[1:]
    originals = {f.split('=', 1)[0]: Original(f.split('=', 1)[1]) for f in files}
    judge = Judge(expected, names == '1', source if source != '-' else '', Process(maps, originals))
    for line in sys.stdin:
        row = json.loads(line)
        if row['type'] == 'row':
            judge.judge(row['keys'][0].get('frames', []), row['values'][0]['value'])
    print(', '.join(f'{n} {verdict}' for verdict, n in sorted(judge.count.items())))
    for verdict, frames in judge.examples.items():
        if verdict not in ('good', 'without frames'):
            print(f'{verdict}:', *frames[:40], sep='\n  ')
    sys.exit(not judge.passes(helpers == 'helpers'))


main()
