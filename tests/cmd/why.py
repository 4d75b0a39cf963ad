# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares what `dtr why -O json` says of tests/kernel/waits with what that program says of itself.

Arguments: the output of dtr, that of the program. Prints a line of TAP's text for each difference.
"""
import json
import sys

MS = 1000000
ROUNDS, WAIT = 20, 10 * MS
# Of each thread: the state in which it waits, for how long at least, what ends it: the thread main, a timer, or None.
PARTS = {
    'spin': ('user code', 0, None),
    'sleep': ('sleep', ROUNDS * WAIT, 'a timer'),
    'lock': ('lock', 0, 'main'),
    'condition': ('condition or semaphore', 0, 'main'),
    'pipe': ('pipe', 0, 'main'),
    'socket': ('local socket', 0, 'main'),
    'poll': ('event', ROUNDS * WAIT, 'a timer'),
    'child': ('child', ROUNDS * WAIT, None),
}


def wrong(text):
    print('# ' + text)


def sums(thread):
    by_state = {}
    for s in thread['states']:
        by_state[s['state']] = by_state.get(s['state'], 0) + s['ns']
    return by_state


def check(name, thread, own, whole, ran, waited):
    state, least, _ = PARTS[name]
    ns = sums(thread)
    cpu = ns.get('user code', 0) + ns.get('system', 0)
    other = sum(n for s, n in ns.items() if s != state)
    if sum(ns.values()) != thread['ns']:
        wrong(f'{name}: the states are {sum(ns.values())} of {thread["ns"]} ns')
    if thread['ns'] < whole:
        wrong(f'{name}: it existed for {whole} ns, not {thread["ns"]}')
    if cpu < ran - MS:
        wrong(f'{name}: it ran for {ran} ns, not {cpu}')
    # the time of the calls is that of waiting, and what came before and after it
    if name != 'spin' and not max(least, waited - other) <= ns.get(state, 0) <= waited:
        wrong(f'{name}: {state}: {ns}; at least {max(least, waited - other)}, at most {waited}')
    if name == 'spin' and cpu < ROUNDS * WAIT:
        wrong(f'spin: {ns}')


def check_waker(name, wait, main):
    expected = PARTS[name][2]
    waker = wait['waker']
    if expected == 'main' and waker.get('tid') != main or \
       expected == 'a timer' and waker.get('interrupt') != expected:
        wrong(f'{name}: woken by {waker}')


def run(json_file, own_file):
    lines = [json.loads(line) for line in open(json_file)]
    threads = {t['tid']: t for t in lines if t['type'] == 'thread'}
    own = [line.split() for line in open(own_file)]
    main = next(int(o[0]) for o in own if o[1] == 'main')
    names = {}
    for tid, name, *numbers in own:
        if name in PARTS:
            names[int(tid)] = name
            check(name, threads[int(tid)], own, *map(int, numbers))
    if sorted(names.values()) != sorted(PARTS):
        wrong(f'threads: {names}')
    waits = [w for w in lines if w['type'] == 'wait' and names.get(w['tid'])]
    for w in waits:
        if w['state'] == PARTS[names[w['tid']]][0]:
            check_waker(names[w['tid']], w, main)
    for name, (state, _, waker) in PARTS.items():
        if waker and not any(names[w['tid']] == name and w['state'] == state for w in waits):
            wrong(f'{name}: no wait')


run(*sys.argv[1:])
