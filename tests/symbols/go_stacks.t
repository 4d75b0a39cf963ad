# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks in functions that Go's run-time system runs on the thread's own stack: they go on with the goroutine's, which
# is what runtime.Callers has. Stripped or not, position-independent or not, with C between functions of Go.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
any_of go && any_of gcc && any_of python3 || { echo '1..0 # SKIP no Go, gcc or python3'; exit 0; }
need_kernel
[ "${DTR_OPT_ENGINE-}" != user ] || { echo '1..0 # SKIP pid probes need the kernel engine'; exit 0; }
need_types
cd "$work" || exit 1

cat >judge.py <<'END'
"""The stacks of dtr are those that the program has printed."""
import collections
import json
import sys

want = collections.Counter()
for line in open('printed'):
    kind, n, *names = line.split()
    want[kind, ' '.join(names)] += int(n)
got, grown, wrong = collections.Counter(), 0, []
for line in open('rows'):
    row = json.loads(line)
    if row['type'] == 'message':
        print('#', row['text'])
        wrong += ['lack frames'] * ('lack frames' in row['text'])
    if row['type'] != 'row':
        continue
    names = [f['symbol'].split('`', 1)[-1].split('+0x')[0].replace('.abi0', '') for f in row['keys'][1]['frames']]
    kind = row['keys'][0]
    count = row['values'][0]['value']
    first = [i for i, name in enumerate(names) if name.startswith('main.')]
    if kind == 'copy':      # stacks grow anywhere; those of main.grow are deep
        if 'main.grow' in names:
            rest = [name for name in names[names.index('main.grow'):] if name != 'main.grow']
            grown += count
            if len(rest) != 3 or rest[0] != 'main.growing' or rest[-1] != 'runtime.goexit' or \
                    names[:3] != ['runtime.copystack', 'runtime.newstack', 'runtime.morestack']:
                wrong.append(f'grown: {rest} {names[-3:]} {len(names)}')
    elif first and names[first[0]] == 'main.' + kind:
        got[kind, ' '.join(names[first[0]:])] += count
for key, n in sorted(want.items()):
    if not got[key] or (got[key] != n and key[0] != 'park'):
        wrong.append(f'{n} expected, {got[key]} found: {key}')
wrong += [f'unexpected: {n} {key}' for key, n in (got - want).items()]
print('#', sum(want.values()), 'expected,', grown, 'times grown')
for line in wrong[:10]:
    print('#', line)
sys.exit(bool(wrong) or not grown)
END

# NAME BUILD-OPTION...: builds and compares
compared() {
	name=$1
	shift
	GO111MODULE=off GOCACHE=$here/tests/symbols/go-cache go build "$@" -o goroutines \
		"$SRC/tests/symbols/goroutines.go" >messages 2>&1 || { ok 1 "go build $*" "$(cat messages)"; return; }
	rm -f rows
	run "$DTR" -q -x ledger=off -x ustackframes=127 -O json -o rows -n '
		pid$target::runtime.newproc.func1:entry { @["spawn", ustack()] = count(); }
		pid$target::runtime.park_m:entry { @["park", ustack()] = count(); }
		pid$target::runtime.gcStart.func2:entry { @["collect", ustack()] = count(); }
		pid$target::runtime.copystack:entry { @["copy", ustack()] = count(); }' -c ./goroutines
	printf '%s\n' "$out" >printed
	python3 judge.py >judged
	ok $? "$name: $(tail -n 1 judged)" "$(cat judged)" "$err"
}

compared 'with symbols'
compared 'stripped' -ldflags '-s -w'
compared 'position-independent' -buildmode=pie
compared 'position-independent, stripped' -buildmode=pie -ldflags '-s -w'
cat >mixed.py <<'END'
"""C's leaf, then Go's, with all of the functions of the program that have called them."""
import json

OWN = ('main.', 'c_', 'goCallback')
for line in open('rows'):
    row = json.loads(line)
    if row['type'] == 'message' and 'lack frames' in row['text']:
        print(row['text'])
    if row['type'] == 'row':
        names = [f['symbol'].split('`', 1)[-1].split('+0x')[0].replace('.abi0', '') for f in row['keys'][1]['frames']]
        print(*[name.replace('main.', '') for name in names if name.startswith(OWN) and '_C' not in name], names[-1])
END
callback='c_calls goCalls goCallback goCallback'
for option in '' '-ldflags=-linkmode=external -extldflags=-static'; do	# C has data where Go has the g otherwise
	name="functions of C and Go that call each other $option"
	GO111MODULE=off GOCACHE=$here/tests/symbols/go-cache go build ${option:+"$option"} -o mixed \
		"$SRC/tests/symbols/cgo.go" >messages 2>&1 || { skip "$name" "$(head -n 1 messages)"; continue; }
	rm -f rows
	run "$DTR" -q -x ledger=off -O json -o rows -n 'pid$target::c_leaf:entry { @[0, ustack()] = count(); }
		pid$target::main.goLeaf:entry { @[1, ustack()] = count(); }' -c ./mixed
	is "$(python3 mixed.py)" "c_leaf c_outer main runtime.goexit
goLeaf goCallback goCallback $callback $callback c_calls goCalls main runtime.goexit" "$name"
done
cat >shares.py <<'END'
"""Samples in each function against its share of the thread's CPU time: with a chance of 1e-7, not in its interval."""
import collections
import json

time = {'main.' + line.split()[0]: int(line.split()[1]) for line in open('printed')}
got = collections.Counter()
for line in open('rows'):
    row = json.loads(line)
    frames = row['keys'][0]['frames'] if row['type'] == 'row' else []
    names = [f['symbol'].split('`', 1)[-1].split('+0x')[0] for f in frames]
    for name in names:
        if name in time:
            got[name] += row['values'][0]['value']
n, whole, bad = sum(got.values()), sum(time.values()), []
for name, t in time.items():
    p = t / whole
    print(f'# {name}: {t} us, {n * p:.0f} of {n} samples expected, {got[name]} found')
    if abs(got[name] - n * p) > 5.4 * (n * p * (1 - p)) ** .5 + 1:
        bad.append(name)
print('ok' if n > 100 and not bad else bad)
END
GO111MODULE=off GOCACHE=$here/tests/symbols/go-cache go build -ldflags '-s -w' -o shares "$SRC/tests/symbols/shares.go"
rm -f rows
run "$DTR" -q -x ledger=off -O json -o rows -n 'profile-997 /pid == $target/ { @[ustack()] = count(); }' -c ./shares
printf '%s\n' "$out" >printed
python3 shares.py >judged
is "$(tail -n 1 judged)" ok 'functions, one of them on the stack of the thread, have their shares of the CPU time'
sed '$d' judged
done_testing
