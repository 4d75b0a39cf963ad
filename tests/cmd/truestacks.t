# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# ustack() of programs that know their own stacks (tests/stacks), compiled in every way: each stack is complete and
# correct, frame by frame. The rootless engine: samples. The kernel engine: samples and stacks at a system call, by
# frame pointers and by unwinding tables, and the addresses that libdw or gdb finds in blocked processes.
. "$SRC/tests/lib/tap.sh"
. "$SRC/tests/lib/stacks.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
command -v gcc >/dev/null || { echo '1..0 # SKIP no gcc'; exit 0; }
cd "$work" || exit 1
chmod 755 "$work"
programs=$SRC/tests/stacks
plugin() { gcc -O2 -fPIC -shared "$@" -o plugin.so "$programs/plugin.c"; }
plugin -fomit-frame-pointer

KINDS='plain alloca aligned registers deep tail library signal fault assembly plugin threads fork'
POINTER_KINDS='plain alloca aligned registers deep tail plugin threads fork'	# no code without frame pointers
MUSL_KINDS='plain alloca aligned registers deep tail assembly'	# no code of the C library, which has no tables

# COMPILER NAME FLAG...: walk, or throw with a compiler of C++
compile() {
	compiler=$1 program=$2
	shift 2
	case $compiler in *++) source=$programs/throw.cc ;; *) source=$programs/walk.c ;; esac
	"$compiler" -w -I"$programs" "$@" -o "$program" "$source" >compile.err 2>&1
}

arguments() { # PROGRAM KIND...
	case $1 in throw*) echo ;; *) shift; echo "-p ./plugin.so $*" ;; esac
}

unwind=auto

# ENGINE WHOLE PROGRAM NAME KIND...: samples of a program
samples() {
	engine=$1 whole=$2 program=$3 name=$4
	shift 4
	case $program in throw*) set -- 100 ;; *) set -- -m 100 -p ./plugin.so "$@" ;; esac
	run "$DTR" -x engine="$engine" -x unwind=$unwind -x ledger=off -x ustackframes=127 -O folded -o got -q -n '
		profile-997 /progenyof($target)/ { @[ustack()] = count(); }' -c "./$program $*"
	cp "$work/out" chains
	sed 's/[^;`]*`//g' got >stacks
	rm -f got
	samples_match chains stacks "$whole" >judged
	ok $? "$name" "$(cat judged)" "$err"
}

# WHOLE PROGRAM NAME KIND...: stacks at a system call, in the kernel engine
stops() {
	whole=$1 program=$2 name=$3
	shift 3
	run "$DTR" -x unwind=$unwind -x ledger=off -x ustackframes=127 -q -o got -n '
		syscall::getpriority:entry /progenyof($target) && arg0 == 4242/ {
			printf("stop %d", arg1); ustack(); }' \
		-c "./$program $(arguments "$program" "$@")"
	cp "$work/out" chains
	awk '$1 == "stop" { if (n) print n, s; n = $2; s = ""; next }
		NF { sub(/^.*`/, "", $1); sub(/[+]0x[0-9a-f]+$/, "", $1); s = s == "" ? $1 : $1 ";" s }
		END { if (n) print n, s }' got >stacks
	rm -f got
	stops_match chains stacks "$whole" >judged
	ok $? "$name" "$(cat judged)" "$err"
}

# KIND CHAIN: a stack that only the kernel can walk, because a copy of the top of the stack does not contain it. The
# first ones may be handed over, as long as tables are missing; later ones must be whole.
eventually() {
	[ -p input ] || mkfifo input
	rm -f got
	kinds=$(printf "$1 %.0s" 1 2 3 4 5 6 7 8 9 10)
	"$DTR" -x ledger=off -x switchrate=10ms -q -o got -n 'BEGIN { printf("target=%d\n", $target); }
		syscall::getpriority:entry /pid == $target && arg0 == 4242/ { ustack(); printf("\n"); }' \
		-c "./walk -w $kinds $kinds $kinds $kinds $kinds" <>input >/dev/null 2>eventually.err &
	tracer=$!
	children="$children $tracer"
	whole() {
		echo >input
		awk 'NF == 1 {
				sub(/^.*`/, "", $1)
				sub(/[+]0x[0-9a-f]+$/, "", $1)
				s = s == "" ? $1 : $1 ";" s
			}
			!NF { print s; s = "" }' got | grep -Eq "^_start;.*$2\$"
	}
	wait_until whole "$@"
	whole "$@"
	ok $? "tables: $1" "$(head -n 20 got)" "$(cat eventually.err)"
	kill -INT $tracer
	wait $tracer
	kill -9 "$(sed -n 's/target=//p' got)" 2>/dev/null
}

# KIND CHAIN: the first stack of a new process is whole. It is handed over, because its tables are not loaded.
first() {
	# ustackdepth is not known before the tables are loaded
	run "$DTR" -x ledger=off -q -n '
		syscall::getpriority:entry /progenyof($target) && arg0 == 4242/ {
			printf("depth %d\n", ustackdepth); ustack(); exit(0); }' -c "sh -c './walk $1; :'"
	printf '%s\n' "$out" | awk '
		$1 == "depth" { later = !$2; next }
		NF == 1 {
			sub(/^.*`/, "", $1)
			sub(/[+]0x[0-9a-f]+$/, "", $1)
			s = s == "" ? $1 : $1 ";" s
		}
		END { print later ? "handed over" : "walked", s }' >judged
	like "$(cat judged)" "^handed over _start;([^;]*;)*$2\$" "tables: the first stack: $1"
}

# ENGINE NAME PREDICATE [OPTION...]: of all samples of busy programs of the distribution, at least 99.5 % have complete
# stacks: they begin at the entry of the program or of the dynamic linker, which may have no symbol, or have no frame of
# the process.
whole_share() {
	engine=$1 name=$2 predicate=$3
	shift 3
	: >all
	while read -r command arguments; do
		command -v "$command" >/dev/null || continue
		run "$DTR" -x engine="$engine" -x ledger=off "$@" -O folded -o got -q -n \
			"profile-997 /pid == \$target$predicate/ { @[ustack()] = count(); }" -c "$command $arguments"
		sed "s|^|$command;|" got >>all
		rm -f got
	done <<-'END'
		/usr/bin/python3 -c 'import json; [json.loads(json.dumps(list(range(300)))) for i in range(3000)]'
		perl -e 'my %h; $h{$_ % 977} .= sort { $a <=> $b } (3, 1, $_) for 1 .. 300000'
		gzip -c data
		sqlite3 :memory: '.read count.sql'
		git hash-object data
	END
	awk '
		{ n = $NF; sub(/ [0-9]+$/, ""); all += n }
		/;[(]no frames[)]$/ { next }
		$0 !~ /^[^;]*;[^;`]*`(_start|_dl_start_user|0x[0-9a-f]+)(;|$)/ { bad += n; if (bad < 5) print }
		END { print all + 0, "samples,", bad + 0, "incomplete"; exit !all || bad * 200 > all }' all >judged
	ok $? "$name" "$(cat judged)" "$err"
}

# ENGINE: words that are no return addresses end a stack, and are counted; a coroutine's stack is complete.
astray() {
	engine=$1
	for kind in number heap stack data function middle coroutine generated child; do
		run "$DTR" -x engine="$engine" -x ledger -x switchrate=10ms -O folded -o got -q -n '
			profile-997 /progenyof($target)/ { @[ustack()] = count(); }' -c "./astray $kind"
		want='^[[]truncated[]];lost;spin' lacks=yes deep='entry;deep;deep;deep;deep;spin'
		case $kind in
		coroutine) want="^[^;[]*;$deep" lacks= ;;
		generated | child) want="^(_start|0x[0-9a-f]*);([^;]*;)*main;([^;]*;)*0x[0-9a-f]*;$deep" lacks= ;;
		esac
		sed 's/[^;`]*`//g' got | awk -v want="$want" '
			!/(^|;)spin(;|$| )/ { next }
			{ n += $NF; sub(/ [0-9]+$/, "") }
			$0 !~ want { print; bad++ }
			END { print n + 0, "samples"; exit !n || bad }' >judged &&
			case $err in *' with an invalid return address'*) [ $lacks ] ;; *) [ ! $lacks ] ;; esac
		ok $? "$engine: $kind in the place of a return address" "$(cat judged)" "$err"
		rm -f got
	done
}
gcc -O2 -w -fomit-frame-pointer -fno-optimize-sibling-calls -rdynamic -o astray "$programs/astray.c"

head -c 3000000 "$DTR" >data
echo 'with recursive c(x) as (select 1 union all select x + 1 from c limit 600000) select max(x) from c;' >count.sql

# ---- the rootless engine, without frame pointers ----
run "$DTR" -x engine=user -q -n 'profile-997 { exit(0); }' -c 'sleep 0.1'
case $err in
*'no program counters'*) skip 'the rootless engine' 'no perf events' ;;
*)
	for level in 0 2; do
		compile gcc walk -O$level -fomit-frame-pointer -rdynamic
		# shellcheck disable=SC2086
		samples user 1 walk "rootless: gcc -O$level" $KINDS
	done
	counted='profile-997 /pid == $target/ { @[ustack()] = count(); }'
	run "$DTR" -x engine=user -x ledger=off -O folded -o got -q -n "$counted" -c './walk -m 100 altstack'
	like "$(cat got)" '\[truncated\];([^;]*;)*walk`handler;walk`inner;walk`stop' \
		'rootless: the stack below a signal handler with a stack of its own is truncated'
	like "$err" '^dtr: [0-9]+ of [0-9]+ user stacks need memory that the kernel does not copy: ' \
		'the reason is reported'
	run "$DTR" -x engine=user -x ledger=off -x unwindsize=1k -O folded -o got -q -n "$counted" -c \
		'./walk -m 100 deep'
	like "$err" 'exceed the copied part: use -x unwindsize=2k$' \
		'a copy that is too small: a larger size is suggested'
	rm -f got
	strip -o walk-stripped walk
	# shellcheck disable=SC2086
	samples user 1 walk-stripped 'rootless: a stripped program' plain alloca plugin
	for kind in static static-pie; do
		if compile gcc walk -O2 -fomit-frame-pointer -$kind -DSTATIC; then
			samples user 1 walk "rootless: $kind" plain alloca signal fault threads
		else
			skip "rootless: $kind" 'not installed'
		fi
	done
	if command -v clang >/dev/null; then
		compile clang walk -O2 -fomit-frame-pointer -rdynamic
		# shellcheck disable=SC2086
		samples user 1 walk 'rootless: clang -O2' $KINDS
	fi
	if command -v ld.lld >/dev/null; then
		plugin -fomit-frame-pointer -fuse-ld=lld
		compile gcc walk -O2 -fomit-frame-pointer -rdynamic -fuse-ld=lld
		# shellcheck disable=SC2086
		samples user 1 walk 'rootless: linked by LLD' $KINDS
		plugin -fomit-frame-pointer
	else
		skip 'rootless: linked by LLD' 'no lld'
	fi
	if command -v musl-gcc >/dev/null; then
		compile musl-gcc walk -O2 -fomit-frame-pointer -static -DSTATIC
		# shellcheck disable=SC2086
		samples user 0 walk 'rootless: musl' $MUSL_KINDS
	fi
	astray user
	whole_share user 'rootless: programs of the distribution' '' -x unwindsize=63k -x ustackframes=1000
	if command -v g++ >/dev/null; then
		compile g++ throw -O2 -fomit-frame-pointer -rdynamic
		samples user 1 throw 'rootless: C++ exceptions'
	fi ;;
esac

# ---- the kernel engine ----
with_bpf 'stacks at system calls' || { done_testing; exit; }
why=$("$here/tests/kernel/can_bpf") || { echo "# left out: $why"; done_testing; exit; }
plugin -fno-omit-frame-pointer
unwind=fp
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for level in 0 1 2 3; do
		compile $compiler walk -O$level -fno-omit-frame-pointer -rdynamic
		# shellcheck disable=SC2086
		stops 0 walk "frame pointers: $compiler -O$level" $POINTER_KINDS
	done
done
# shellcheck disable=SC2086
samples bpf 0 walk 'frame pointers: samples' $POINTER_KINDS

plugin -fomit-frame-pointer
unwind=auto
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for level in 0 1 2 3; do
		for form in '-rdynamic' '-no-pie -rdynamic' '-static -DSTATIC' '-static-pie -DSTATIC' \
			'-fno-omit-frame-pointer -rdynamic'; do
			case "$compiler $form" in 'clang -static-pie'*) continue ;; esac
			# shellcheck disable=SC2086
			compile $compiler walk -O$level -fomit-frame-pointer $form || continue
			# shellcheck disable=SC2086
			stops 1 walk "tables: $compiler -O$level $form" $KINDS
		done
	done
done
# LLD: two segments share a page of the file, so a mapping's offset is in both.
if command -v ld.lld >/dev/null; then
	plugin -fomit-frame-pointer -fuse-ld=lld
	for compiler in gcc clang; do
		for form in '-rdynamic' '-no-pie -rdynamic' '-static -DSTATIC'; do
			# shellcheck disable=SC2086
			compile $compiler walk -O2 -fomit-frame-pointer $form -fuse-ld=lld || continue
			# shellcheck disable=SC2086
			stops 1 walk "tables: $compiler $form, linked by LLD" $KINDS
		done
	done
	plugin -fomit-frame-pointer
else
	skip 'tables: linked by LLD' 'no lld'
fi
if command -v musl-gcc >/dev/null; then
	compile musl-gcc walk -O2 -fomit-frame-pointer -static -DSTATIC
	stops 0 walk 'tables: musl' $MUSL_KINDS
fi
for compiler in g++ clang++; do
	for level in 0 2; do
		! command -v $compiler >/dev/null ||
			! compile $compiler throw -O$level -fomit-frame-pointer -rdynamic ||
			stops 1 throw "tables: exceptions, $compiler -O$level"
	done
done
compile gcc walk -O2 -fomit-frame-pointer -rdynamic
eventually altstack 'main;run;elsewhere;([^;]*;)*handler;inner;stop'
first altstack 'main;run;elsewhere;([^;]*;)*handler;inner;stop'
first large 'main;run;large;large;large;large;large;inner;stop'
eventually below 'main;run;below;asm_below'
# shellcheck disable=SC2086
samples bpf 1 walk 'tables: samples' $KINDS
strip -o walk-stripped walk
# shellcheck disable=SC2086
stops 1 walk-stripped 'tables: a stripped program' $KINDS
if ! calls32; then
	skip 'tables: a 32-bit program' 'this machine runs none'
elif compile gcc walk32 -m32 -O2 -fomit-frame-pointer -rdynamic; then
	samples bpf 1 walk32 'tables: a 32-bit program' plain alloca registers deep tail
else
	skip 'tables: a 32-bit program' 'the compiler has no -m32'
fi

astray bpf

# not when they are ending and have no memory any more (PF_EXITING)
whole_share bpf 'tables: programs of the distribution' ' && !(curthread->flags & 4)'

# A command's libraries are searched before it runs, by paths that may be relative, or symbolic links. In stacks they
# have the names that mappings have.
cat >near.c <<'END'
static volatile unsigned long sum;
__attribute__((noinline)) static void near_hidden(void) { for (int i = 0; i < 100000; i++) sum += i; }
__attribute__((noinline)) int near_deep(int n)
{
	volatile char p[40];

	p[n % 40] = 1;
	if (n)
		return near_deep(n - 1) + p[0];
	near_hidden();
	return 1;
}
END
cat >far.c <<'END'
#include <time.h>
int near_deep(int n);
int main(void)
{
	int r = 0;

	while (clock() < CLOCKS_PER_SEC / 10)
		r += near_deep(3);
	return r == 3;
}
END
gcc -O2 -fPIC -shared -fomit-frame-pointer -Wl,-soname,libnear.so.1 -o libnear.so.1.2 near.c
ln -s libnear.so.1.2 libnear.so.1
gcc -O2 -fPIC -shared -fomit-frame-pointer -o libnear.so near.c
gcc -O2 -o far-slash far.c ./libnear.so
gcc -O2 -o far-dot far.c -L. -lnear -Wl,-rpath,.
gcc -O2 -o far-path far.c -L. -l:libnear.so.1.2
while read -r program library LD_LIBRARY_PATH; do
	export LD_LIBRARY_PATH
	run "$DTR" -x ledger=off -O folded -o got -q -n 'profile-997 /pid == $target/ { @[ustack()] = count(); }' \
		-c "./$program"
	unset LD_LIBRARY_PATH
	awk -v library="$library" '/near_hidden/ {
			n++
			deep = library "`near_deep;"
			good += index($0, "_start;") && index($0, "`main;" deep deep deep deep library "`near_hidden ")
		}
		END { print n + 0, "stacks,", good + 0, "whole"; exit !n || good < n }' got >judged
	ok $? "tables: the library of $program" "$(cat judged)" "$(cat got)"
	rm -f got
done <<-END
	far-slash libnear.so /nonexistent
	far-dot libnear.so /nonexistent
	far-path libnear.so.1.2 .
END

# COMMAND...: dtr's last stack at read(0) has the addresses that libdw or gdb finds in the process, which is blocked
# there
blocked() {
	rm -f frames stacks.json
	[ -p input ] || mkfifo input
	"$DTR" -x ledger=off -x ustackframes=127 -x switchrate=10ms -O json -o stacks.json -q -n '
		BEGIN { printf("target=%d\n", $target); }
		syscall::read:entry /pid == $target && arg0 == 0/ { ustack(); }' -c "$*" <>input >/dev/null \
		2>blocked.err &
	tracer=$!
	children="$children $tracer"
	wait_until grep -q target= stacks.json
	target=$(grep -o 'target=[0-9]*' stacks.json | sed 's/target=//')
	reads() { grep -q '"frames"' stacks.json && grep -q '^0 0x0 ' "/proc/$target/syscall"; }
	wait_until reads
	sleep 0.1		# the last record is printed
	grep '"frames"' stacks.json | tail -n 1 | grep -o '"address":"0x[0-9a-f]*"' | sed 's/.*:"//; s/"//' >frames
	same_frames frames "$target"
	ok $? "the frames that a debugger finds: $1" "dtr: $(tr '\n' ' ' <frames)" \
		"debugger: $(tr '\n' ' ' <frames.debugger)" "$(cat blocked.err)"
	kill -INT $tracer
	wait $tracer
	kill -9 "$target" 2>/dev/null
}
if any_of eu-stack gdb; then
	for kind in plain alloca aligned registers deep tail library signal fault assembly plugin; do
		blocked "./walk -w -p ./plugin.so $kind"
	done
	python=/usr/bin/python3
	[ ! -x $python ] || blocked $python -c '"input()"'
	! command -v perl >/dev/null || blocked perl -e '"<STDIN>"'
	! command -v gzip >/dev/null || blocked gzip -c
	! command -v openssl >/dev/null || blocked openssl enc -base64
	! command -v sqlite3 >/dev/null || blocked sqlite3
	! command -v git >/dev/null || blocked git hash-object --stdin
else
	skip 'the frames that a debugger finds' 'neither eu-stack nor gdb is installed'
fi
done_testing
