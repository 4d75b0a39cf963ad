# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks of Go's run-time system (collect.go), which changes between stacks, with and without symbols: they are
# complete, their functions have names, and a caller is one that calls the function.
# long: it compiles and samples three programs
# silent: 600 s: the first program of Go compiles Go's library
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
any_of go && any_of gcc && any_of python3 || { echo '1..0 # SKIP no Go, gcc or python3'; exit 0; }
engines=
if [ "${DTR_OPT_ENGINE-}" != user ] && "$here/tests/kernel/can_bpf" >/dev/null; then engines=bpf; fi
! perf_events || engines="$engines user"
[ -n "$engines" ] || { echo '1..0 # SKIP neither BPF nor perf events'; exit 0; }
cd "$work" || exit 1

cat >judge.py <<'END'
"""At most one stack in 200 may lack frames; those of the rootless engine also where the sample has the other stack only
(the clock, signal handlers). Functions that are called from one place have that caller."""
import collections
import json
import sys

ROOTS = ('goexit', 'mstart', 'rt0_go', 'mcall', 'morestack', 'clone', 'kernel_stack')
ROOTLESS = ('systemstack', 'asmcgocall')    # it knows the goroutine's stack only in the kernel engine
CALLERS = {'main.clocks': 'main.work', 'main.work': 'main.main', 'main.main': 'runtime.main',
           'runtime.main': 'runtime.goexit', 'runtime.park_m': 'runtime.mcall', 'main.work.func1': 'runtime.goexit',
           'runtime.newstack': 'runtime.morestack', 'runtime.mstart0': 'runtime.mstart'}
ANY_OF = {'main.build': ('main.build', 'main.work'), 'main.grow': ('main.grow', 'main.work.func1'),
          'time.Now': ('main.clocks',),
          # time.runtimeNow: Go 1.27; runtime/mgc.go: time_now()
          'time.now': ('time.Now', 'time.runtimeNow', 'runtime.gcMarkTermination')}
ELSEWHERE = ('time.now', 'runtime.nanotime1', 'runtime.walltime')
rootless = sys.argv[1] == 'user'
count = collections.Counter()
for line in sys.stdin:
    row = json.loads(line)
    frames = row['keys'][0].get('frames', []) if row['type'] == 'row' else []
    names = [f['symbol'].split('`', 1)[-1].split('+0x')[0].replace('.abi0', '') for f in frames]
    files = [f['symbol'].split('`')[0] for f in frames]
    if not names:
        continue
    n = row['values'][0]['value']
    wrong = [f'{a} < {b}' for a, b in zip(names, names[1:])
             if b != CALLERS.get(a, b) or b not in ANY_OF.get(a, (b,))]
    if wrong:
        print('# wrong caller:', *wrong, 'of', *names)
        count['wrong'] += n
    elif any(name.startswith('0x') and file != '[vdso]' for name, file in zip(names, files)):
        print('# without a name:', *names)
        count['unnamed'] += n
    elif rootless and (names[-1] in ELSEWHERE or 'runtime.sigtramp' in names or '__restore_rt' in names):
        count['elsewhere'] += n
    elif not names[-1].endswith(ROOTS + (ROOTLESS if rootless else ())):
        print('# ends early:', *names)
        count['cut'] += n
    else:
        count['good'] += n
        count['switched'] += any(name.endswith(('systemstack', 'mcall', 'morestack')) for name in names) * n
        count['clock'] += ('main.clocks' in names and '[vdso]' in files) * n
print('#', dict(count))
sys.exit(not (count['switched'] and (rootless or count['clock']) and count['good'] >= 200 and not count['wrong'] and
              (count['unnamed'] + count['cut']) * 200 <= sum(count[k] for k in ('good', 'unnamed', 'cut'))))
END

# NAME: samples ./collect with each engine
sampled() {
	for tap_e in $engines; do
		run "$DTR" -x engine="$tap_e" -x ledger=off -O json -o stacks -q -n '
			profile-997 /pid == $target/ { @[ustack()] = count(); }
			profile-997 /pid == $target && ++n >= 1500/ { exit(0); }' -c ./collect
		python3 judge.py "$tap_e" <stacks >judged
		ok $? "$1, engine=$tap_e: $(tail -n 1 judged)" "$(cat judged)" "$err"
		rm -f stacks
	done
}

compile() { # OPTION...
	GO111MODULE=off GOCACHE=$here/tests/symbols/go-cache go build "$@" -o collect "$SRC/tests/symbols/collect.go" \
		>messages 2>&1 || { ok 1 "go build $*" "$(cat messages)"; return 1; }
}

compile && sampled 'with symbols'
strip collect && sampled 'stripped'
case $engines in *bpf*)
	run "$DTR" -qn 'pid$target::main.clocks:entry { printf("%s %d", probefunc, uregs[R_RAX]); exit(0); }' \
		-c ./collect
	[ -n "$err" ] || is "$out" 'main.clocks 2000' 'a probe in a stripped program'
	[ -z "$err" ] || skip 'a probe in a stripped program' "$(head -n 1 "$work/err")" ;;
esac
compile -buildmode=pie -ldflags '-linkmode external' && strip collect && sampled 'stripped, table in another section'
done_testing
