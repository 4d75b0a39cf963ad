# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# exact_profiler.h with every installed compiler: as C99 and C++, for 64 bits, for 32 bits without a library, and with
# invalid settings.
. "$SRC/tests/lib/tap.sh"
t=$work
command -v ${CC:-cc} >/dev/null || { echo "1..0 # SKIP no compiler"; exit 0; }
strict="-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wundef -Wstrict-prototypes -pedantic -Werror -O2 -I$SRC"
bare="-m32 -ffreestanding -nostdlib -static -fno-pic -fno-stack-protector"
digest=
for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	run $cc -std=c99 $strict -o "$t/host" "$SRC/tests/header/host.c"
	is "$status $err" "0 " "$cc -std=c99: no warning"
	run "$t/host"
	is "$status" 0 "$cc: every result equals 64-bit arithmetic, and they add up to 10000 ($err)"
	is "$out" "${digest:=$out}" "$cc: the same results"
	case $(uname -m) in
	x86_64)
		run $cc -std=c99 $strict $bare -o "$t/bare" "$SRC/tests/header/bare32.c"
		is "$status $err" "0 " "$cc: 32 bits without a library: no missing symbol, no 64-bit division"
		run "$t/bare"
		if [ "$status" = 126 ]; then
			skip "$cc: 32 bits: the same results" 'this machine cannot run 32-bit processes'
		else
			is "$status:$out" "0:$digest" "$cc: 32 bits: the same results"
		fi
		;;
	esac
done
for cxx in g++ clang++; do
	command -v $cxx >/dev/null || continue
	# the compiler may be installed without its library
	echo 'int main() { return 0; }' >"$t/can.cc"
	$cxx -o "$t/can" "$t/can.cc" 2>/dev/null || continue
	run $cxx -x c++ -std=c++98 -Wall -Wextra -Wconversion -Wsign-conversion -Werror -O2 "-I$SRC" -o "$t/hostpp" \
		"$SRC/tests/header/host.c"
	is "$status $err" "0 " "$cxx: no warning"
	run "$t/hostpp"
	is "$status $out" "0 $digest" "$cxx: the same results"
done

# accepts PERIOD THREADS
accepts() {
	printf '#define EXACT_PROFILER_UPDATE_PERIOD %s\n#define EXACT_PROFILER_THREADS %s\n#include '\
'"share/exact_profiler.h"\n' "$1" "$2" >"$t/a.c"
	run ${CC:-cc} -std=c99 "-I$SRC" -c -o "$t/a.o" "$t/a.c"
}
accepts 429496 1
is "$status" 0 'a period of 429496 is accepted'
for n in 429497 0 4294967296 -1; do
	accepts "$n" 4
	like "$status" '^[1-9]' "a period of $n is refused"
	like "$err" period_is_1_to_429496 'the reason is reported'
done
accepts 1000 0
like "$status" '^[1-9]' '0 threads are refused'
printf '#define EXACT_PROFILER_THREADS 4\n#include "share/exact_profiler.h"\n' >"$t/a.c"
run ${CC:-cc} "-I$SRC" -c -o "$t/a.o" "$t/a.c"
like "$err" 'EXACT_PROFILER_UPDATE_PERIOD: how many ticks' 'a missing period is refused'

cat >"$t/off.c" <<'END'
#define EXACT_PROFILER_ENABLE 0
#include "share/exact_profiler.h"
int f(struct exact_profiler *p);
int f(struct exact_profiler *p)
{
	exact_profiler_start(p);
	exact_profiler_switch(p, 1);
	return exact_profiler_update(p, 1) + (int)exact_profiler_result(p, 1);
}
END
run ${CC:-cc} -std=c99 $strict -c -o "$t/off.o" "$t/off.c"
is "$status $(nm -u "$t/off.o")" "0 " 'disabled: no definitions are needed'
done_testing
