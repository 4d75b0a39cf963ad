# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints the stacks of a file that dtr has written, one line each: the functions of scripts from the outermost to the
# innermost one, "NAME (FILE:LINE);...".
#	formats.py folded|pprof|speedscope|html FILE
import gzip
import json
import re
import sys


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


# The fields of a message of Protocol Buffers: numbers and bytes.
def fields(data):
    at = 0
    while at < len(data):
        key, at = number(data, at)
        value, at = number(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def numbers(data):
    at = 0
    while at < len(data):
        value, at = number(data, at)
        yield value


# profile.proto: Profile has samples (2), locations (4), functions (5), strings (6).
def pprof(data):
    parts = list(fields(gzip.decompress(data)))
    strings = [value.decode() for key, value in parts if key == 6]
    functions = {f[1]: (strings[f.get(2, 0)], strings[f.get(4, 0)]) for f in
                 (dict(fields(value)) for key, value in parts if key == 5)}
    frames = {}
    for key, value in parts:
        if key != 4:
            continue
        lines = [dict(fields(v)) for k, v in fields(value) if k == 4]
        frames[dict(fields(value))[1]] = [functions[x[1]] + (x.get(2, 0),) for x in lines]
    for key, value in parts:
        if key == 2:
            ids = dict(fields(value))[1]
            yield [f for i in reversed(list(numbers(ids))) for f in reversed(frames[i])]


def speedscope(data):
    content = json.loads(data)
    frames = [(f['name'], f.get('file', ''), f.get('line', 0)) for f in content['shared']['frames']]
    for profile in content['profiles']:
        for sample in profile['samples']:
            yield [frames[i] for i in sample]


def parsed(names):
    return [m.groups() for m in (re.fullmatch(r'(.*) \((.*):([0-9]+)\)', name) for name in names) if m]


def folded(data):
    for line in data.decode().splitlines():
        if ';' in line and not line.startswith('want '):
            yield parsed(line.rpartition(' ')[0].split(';'))


# The page's data has frames, and rows whose keys are lists of their numbers.
def html(data):
    content = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', data.decode(), re.S)[1])
    for keys, *_ in (row for agg in content['aggs'] for row in agg['rows']):
        yield parsed(content['frames'][i][0] for i in keys[0])


for stack in globals()[sys.argv[1]](open(sys.argv[2], 'rb').read()):
    print(';'.join(f'{name} ({file}:{line})' for name, file, line in stack if line))
