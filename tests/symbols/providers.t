# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# jstack() at the probes of many providers, as key, action, value, saved stack: providers.py says what each must show.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
need_kernel
need_types
with_bpf 'probes of processes' || { echo '1..0 # SKIP needs BPF'; exit 0; }
python=/usr/bin/python3
[ -x "$python" ] && "$python" -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
	{ echo '1..0 # SKIP no Python 3.11 or later'; exit 0; }
export PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8 PYTHONPATH=
program=$SRC/tests/symbols/providers.py

# ---- the library ----
library=
printf '%s\n' 'provider mark { probe here(int); };' >"$work/mark.d"
printf '%s\n' '#include "mark.h"' 'int here(int i);' \
	'int here(int i) { volatile int n = i; MARK_HERE(n); return n; }' >"$work/mark.c"
if command -v gcc >/dev/null && "$DTR" -h -s "$work/mark.d" -o "$work/mark.h" &&
	gcc -O1 -shared -fPIC -o "$work/mark.so" "$work/mark.c"; then
	library='pid$target:mark.so:here:entry, mark$target:::here'
else
	echo '1..0 # SKIP no gcc'
	exit 0
fi

# $out: "want PROVIDER STACK", as the program says, and "PROVIDER;FRAME;... COUNT". Each provider must have the stack
# that the program says, and no other; of sched and profile, which fire elsewhere, too, only the functions at_... count.
judge() { # NAME PROVIDER...
	name=$1
	shift
	printf '%s\n' "$out" | awk -v "providers=$*" '
		/^want / { which = $2; sub(/^want [a-z]+ /, ""); want[which] = $0; next }
		!/;/ { next }
		{
			sub(/ [0-9]+$/, "")
			count = split($0, part, ";")
			sub(/[0-9]+$/, "", part[1])
			chain = ""
			for (i = 2; i <= count; i++)
				if (part[i] ~ /\(.*:[0-9]+\)$/)
					chain = chain (chain == "" ? "" : ";") part[i]
			if (part[1] == "profile" || part[1] == "sched") {
				if (chain !~ "at_" part[1] " [^;]*$")
					next
				if (part[1] == "profile")
					sub(/:[0-9]+\)$/, ":0)", chain)
			}
			loop += /_PyEval_EvalFrameDefault/
			if (chain != want[part[1]] || part[2] !~ /`_start$/) {
				bad++
				print "bad: " $0
			}
			seen[part[1]]++
		}
		END {
			n = split(providers, name)
			for (i = 1; i <= n; i++)
				if (!seen[name[i]]) {
					bad++
					print "not seen: " name[i] " " want[name[i]]
				}
			exit bad || loop
		}' >"$work/judged"
	ok $? "$name" "$(cat "$work/judged")" "$err"
}
all='syscall pid mark proc fsinfo sched profile'
clauses() { # ACTION
	printf '%s\n' 'syscall::lseek:entry /pid == $target && arg1 == 4242/ { X }' \
		'pid$target:mark.so:here:entry, mark$target:::here { X }' \
		'proc:::signal-send /pid == $target && args[2] == SIGURG/ { X }' \
		'fsinfo:::fsync, sched:::sleep, profile-997 /pid == $target/ { X }' | sed "s/X/$1/"
}
# What the program prints comes first: two writers of one file could split each other's lines.
traced() { # OPTION... SCRIPT
	rm -f "$work/traced"
	run "$DTR" -x ledger=off -x "setenv=LD_PRELOAD=$work/mark.so" -q -o "$work/traced" "$@" \
		-c "$python $program $work"
	out=$(printf '%s\n' "$out" && cat "$work/traced")
}

# Stacks as text, with a line "at PROVIDER" before each, as lines of -O folded.
folded() {
	out=$(printf '%s\n' "$out" | awk '
		function done() { if (stack != "") print provider stack " 1"; stack = "" }
		/^at / { done(); provider = $2 }
		/^ / { sub(/^ +/, ""); sub(/\+0x[0-9a-f]+$/, ""); stack = ";" $0 stack }
		/^want / { print }
		END { done() }')
}

traced -O folded -n "$(clauses '@[probeprov, jstack(127)] = count();')"
judge 'as a key' $all
traced -n "$(clauses 'printf("at %s", probeprov); jstack(127); printf("\\n");')"
folded
judge 'as an action' $all
traced -n "$(clauses 'printf("at %s%k\\n", probeprov, jstack(127));')"
folded
judge 'as a value' $all
traced -O folded -n 'syscall::lseek:entry /pid == $target && arg1 == 4242/ { self->saved = jstackid(127); }
	pid$target:mark.so:here:entry { self->saved = jstackid(127); }
	fsinfo:::fsync /pid == $target/ { self->saved = jstackid(127); }
	sched:::sleep /pid == $target/ { self->slept = jstackid(127); }
	syscall::lseek:return, pid$target:mark.so:here:return /self->saved/ {
		@[probeprov, jstackof(self->saved)] = count(); self->saved = 0; }
	syscall::fsync:return /self->saved/ { @["fsinfo", jstackof(self->saved)] = count(); self->saved = 0; }
	sched:::on-cpu /self->slept/ { @[probeprov, jstackof(self->slept)] = count(); self->slept = 0; }'
judge 'saved, as the key of a later firing' syscall pid fsinfo sched

# ---- the interpreter's frames ----
traced -x runtimeframes -O folded -n 'mark$target:::here { @[jstack(127)] = count(); @u[ustack(127)] = count(); }'
stack=$(printf '%s\n' "$out" | sed -n 's/^@;//p')
ustack=$(printf '%s\n' "$out" | sed -n 's/^@u;//p')
same "$(printf '%s\n' "$stack" | tr ';' '\n' | grep -v '(.*:[0-9]*)$' | paste -sd ';')" \
	"$ustack" \
	'-x runtimeframes: all frames of ustack() are there'
like "$stack" '`_PyEval_EvalFrameDefault;at_library \(' \
	'-x runtimeframes: those of the interpreter are outside of its functions'
for engine in user bpf; do
	run "$DTR" record -x engine=$engine -x runtimeframes -x ledger=off -q -g -F 997 -o "$work/rec" \
		-c "$python $program $work"
	run "$DTR" -r "$work/rec" -O folded -qn 'profile-997 { @[jstack()] = count(); }'
	like "$out" '`_PyEval_EvalFrameDefault;at_profile \(' \
		"a recording of the $engine engine has them with -x runtimeframes"
	run "$DTR" report "$work/rec"
	like "$out" "^ +[0-9]+ +[0-9.]+ % .* at_profile \\($program\\)\$" \
		"report: the function of a script ($engine engine)"
done

# ---- tools ----
run "$DTR" flame --off-cpu -q -o "$work/off.folded" -c "$python $program $work"
like "$(cat "$work/off.folded")" ';at_sched \([^;]*;([^;]*;)*vmlinux`' 'flame --off-cpu'
run "$DTR" offcpu --scripts -m 50000 -c "$python $program $work"
like "$out" '^ +at_sched \(' 'offcpu'
run "$DTR" -s "$DTR_SHARE/tools/top/stacks.d" -c "$python $program $work"
like "$out" '^ +at_profile \(' 'the stacks of top'
run "$DTR" pagefaults -n 1000 -c "$python $program $work"
like "$out" '^ +<module> \(' 'pagefaults'
done_testing
