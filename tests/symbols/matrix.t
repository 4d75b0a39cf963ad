# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks of programs of many toolchains, which have a known chain of functions (tests/symbols/matrix), in both engines.
# The first ten combinations of compiler, linker, kind of program, symbols and way of loading that are listed in
# tests/symbols/matrix/combinations; all of them with DTR_MATRIX=all, or those whose numbers it has.
# long: it compiles and traces programs one after the other
# silent: 600 s: the first program of Go compiles Go's library
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
any_of gcc && any_of nm && any_of python3 || { echo '1..0 # SKIP no gcc, binutils or python3'; exit 0; }
sources=$SRC/tests/symbols/matrix
. "$sources/compile.sh"
chmod 755 "$work"
gcc -O2 -w -o "$work/host" "$sources/host.c" -ldl

case ${DTR_MATRIX-} in
'') wanted=' 1 2 3 4 5 6 7 8 9 10 ' ;;
all) wanted= ;;
*) wanted=" $DTR_MATRIX " ;;
esac

engines=
if [ "${DTR_OPT_ENGINE-}" != user ]; then
	if why=$("$here/tests/kernel/can_bpf"); then engines=bpf; else echo "# left out: engine=bpf: $why"; fi
fi
run "$DTR" -x engine=user -q -n 'profile-997 { exit(0); }' -c 'sleep 0.1'
case $err in
*'no program counters'*) echo '# left out: engine=user: no perf events' ;;
*) engines="$engines user" ;;
esac
[ -n "$engines" ] || { echo '1..0 # SKIP neither BPF nor perf events'; exit 0; }

# Of the table of toolchains: a field, 2: source, 3: expected, 4: threads
of_toolchain() { # FIELD
	awk -v compiler="$compiler" -v kind="$kind" -v symbols="$symbols" -v field="$1" '
		$1 == compiler || $1 == compiler "/" kind || $1 == compiler "/" symbols { found = $field }
		END { print found }' "$sources/toolchains"
}

# What does the combination need that is not installed?
missing() {
	set -- "$compiler"
	[ "$linker" = bfd ] || set -- "$@" "ld.$linker"
	[ "$kind" != musl ] || set -- "$@" musl-gcc
	case $symbols in dwz) set -- "$@" dwz ;; debugdata) set -- "$@" xz ;; esac
	for tap_c; do any_of "$tap_c" || { echo "$tap_c is not installed"; return; }; done
}

# Has it come to the chain, or ended?
settled() { has_run "$1" 10 || ! grep -q x "/proc/$1/maps"; }

# Starts the program as the combination's way demands, and waits until it is in the chain.
begin() {
	case $way in
	library) ./matrix ./libmatrix.so & ;;
	memfd) ../host -m ./matrix & ;;
	*) ./matrix & ;;
	esac
	target=$!
	children="$children $target"
	wait_until settled $target
	has_run $target 10 2>/dev/null || { wait $target; echo "status $?"; return 1; }
	case $way in
	deleted) rm matrix ;;
	upgraded) cp "$DTR" new && mv new matrix ;;
	esac
}

# Must dtr know the functions' names? A program in memory has no folder in which its debug file could be. Go's run-time
# system has a table of names.
named() {
	case $compiler/$symbols/$way in
	go/*) echo 1 ;;
	*/stripped/* | */split/memfd) echo 0 ;;
	*) echo 1 ;;
	esac
}

# The source file that dtr must show, or -
lines() {
	case $symbols/$way in
	plain/* | stripped/* | split/memfd | debugdata/*) echo - ;;
	*) of_toolchain 2 ;;
	esac
}

# ENGINE: samples the program
sample() {
	cat /proc/$target/maps >maps
	rm -f stacks.json
	run "$DTR" -x engine="$1" -x ledger=off -x stacklines -O json -o stacks.json -q -n '
		profile-997 /pid == $target/ { @[ustack()] = count(); }
		profile-997 /pid == $target && ++n >= 300/ { exit(0); }' -p $target
	cat /proc/$target/maps >>maps
}

judge() { # STACKS
	set -- "$1" matrix=matrix.original
	[ -z "$library" ] || set -- "$@" libmatrix.so=libmatrix.so.original
	tap_stacks=$1
	shift
	python3 "$sources/judge.py" "$(of_toolchain 3)" "$(of_toolchain 4)" "$(named)" "$(lines)" maps "$@" \
		<"$tap_stacks" >judged 2>&1
}

engine() { # ENGINE
	cp matrix saved
	if begin >started 2>&1; then
		sample "$1"
		stop $target
		judge stacks.json
		ok $? "$name, engine=$1: $(head -n 1 judged)" "$(cat judged)" "$err"
	else
		skip "$name, engine=$1" "the program does not run: $(head -n 1 started)"
	fi
	mv -f saved matrix
}

# Errors in the stacks of the last program, which has symbols, are found.
strict() { # WHAT REGEX SED-SCRIPT
	sed "$3" stacks.json >wrong.json
	judge wrong.json
	rc=$?
	[ $rc = 1 ] && grep -q "^$2:" judged
	ok $? "the judge finds $1" "$(cat judged)"
}
all_strict() {
	frame='{"address":"0x[0-9a-f]*","symbol":"matrix`'
	strict 'a frame that lacks' 'WRONG: another chain' "s/${frame}chainmiddle[^}]*},//"
	strict 'a frame that is twice' 'WRONG: another chain' "s/${frame}chaininner[^}]*},/&&/"
	strict 'a frame that is not code' 'WRONG: not executable' \
		's/"0x[0-9a-f]*","symbol":"matrix`main/"0x1","symbol":"main/'
	strict 'a wrong name' 'WRONG: without its name' 's/`chaininner/`outer/'
	strict 'a cut stack' 'cut below the chain' "s/\(${frame}chainouter[^}]*}\)[^]]*/\1/"
	strict 'a cut chain' 'cut in the chain' "s/\(${frame}chaininner[^}]*}\)[^]]*/\1/"
}

combination() { # NUMBER
	name="$1: $compiler $linker $kind $symbols $way"
	why=$(missing)
	[ -z "$why" ] || { skip "$name" "$why"; return; }
	mkdir "$work/$1"
	cd "$work/$1" || exit
	if compile >messages 2>&1; then
		for tap_e in $engines; do engine "$tap_e"; done
		[ "$1" != 1 ] || all_strict
	else
		ok 1 "$name: compiles" "$(tail -n 20 messages)"
	fi
	cd "$work" && rm -rf "${work:?}/$1"
}

if [ "${DTR_MATRIX-}" = all ]; then
	python3 "$sources/generate.py" >"$work/generated"
	is "$(cat "$work/generated")" "$(cat "$sources/combinations")" 'the table is what generate.py makes'
fi
while read -r number compiler linker kind symbols way; do
	case $number in '#') continue ;; esac
	case ${wanted:- $number } in *" $number "*) combination "$number" </dev/null ;; esac
done <"$sources/combinations"
done_testing
