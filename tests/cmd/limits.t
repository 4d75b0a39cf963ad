# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Resource limits: file size and stack. Modes of the files that dtr writes.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
cd "$work" || exit 1
prog=$(basename "$DTR")

# within LIMIT COMMAND...: like run, but under `ulimit LIMIT`; standard output is a pipe
within() {
	limit=$1
	shift
	# shellcheck disable=SC2086
	{ (ulimit $limit; exec timeout -k 5 300 "$@" 2>"$work/err" </dev/null); echo $? >"$work/status"; } |
		cat >"$work/out"
	status=$(cat "$work/status")
	out=$(cat "$work/out")
	err=$(cat "$work/err")
}

# ---- ulimit -f: exceeding it is an error and does not kill dtr ----
within '-f 1' "$DTR" -qn 'BEGIN { exit(0); } END { printf("%3000d|", 1); }' -o file
is "$status:$err" "1:$prog: failed to write file: File too large" 'output over the limit: a message, status 1'
between "$(wc -c <file)" 512 1024 'the file contains the output up to the limit'
within '-f 1' "$DTR" -x aggsave=saved -qn 'BEGIN { @["a"] = count(); @b[stack(), ustack()] = quantize(1); exit(0); }
	END { printf("END\n"); printa("%s %@d\n", @); }
	BEGIN { @c["'"$(head -c 2000 /dev/zero | tr '\0' x)"'"] = count(); }'
is "$status:$err" "1:$prog: failed to write saved: File too large" 'aggregations over the limit: a message, status 1'
like "$out" 'END' 'END runs, and its output is printed'
is "$(ls saved* 2>/dev/null)" '' 'no incomplete file remains'
touch old
chmod 640 old
within '-f 1' "$DTR" -x aggsave=old -qn 'BEGIN { @c["'"$(head -c 2000 /dev/zero | tr '\0' x)"'"] = count(); exit(0); }'
is "$status:$(ls old*):$(wc -c <old)" 1:old:0 'an existing file is not changed'
within '-f 1' "$DTR" -w -qn 'BEGIN { system("trap \"echo caught\" XFSZ; head -c 5000 /dev/zero >big; echo $?");
	exit(0); }'
is "$(echo $out)" 153 'commands get SIGXFSZ as they do outside of dtr'

# ---- ulimit -s: a small soft limit is raised; a small hard limit is an error ----
nested=$(awk 'BEGIN {
	for (i = 0; i < 50; i++) { a = a "strlen(lltostr("; b = b "))" }
	print a "x" b }')
within '-Ss 64' "$DTR" -x ledger=off -n "int x; BEGIN { trace($nested); }"'
	tick-100ms { @[stack(), ustack()] = count(); }
	profile-997 { @p[execname, ustack()] = count(); } tick-10ms /n++ == 50/ { exit(0); }'
is "$status" 0 'nested expressions and user stacks with a stack limit of 64 KB'
within '-Ss 64' "$DTR" -x ledger=off -qn 'profile-997 { @[ustack()] = count(); }' -c 'sh -c "ulimit -s"'
like "$out" '^64$' 'a command runs with the original stack limit'
within '-s 64' "$DTR" -qn 'BEGIN { exit(0); }'
is "$status:$err" "1:$prog: the stack limit of 64 KB is too small: at least 512 KB are needed (ulimit -s)" \
	'a hard stack limit that is too low is an error'

# ---- modes of files ----
mode_of() { stat -c %a "$1"; }
umask 022
run "$DTR" record -o recording -c true
is "$status:$(mode_of recording)" 0:600 'only the owner can read a recording'
run "$DTR" -x aggsave=aggregations -qn 'BEGIN { @[1] = count(); exit(0); }'
is "$status:$(mode_of aggregations)" 0:600 'only the owner can read saved aggregations'
run "$DTR" merge -o sum aggregations aggregations
is "$status:$(mode_of sum)" 0:600 'only the owner can read merged aggregations'
chmod 640 aggregations
run "$DTR" -x aggsave=aggregations -qn 'BEGIN { @[2] = count(); exit(0); }'
is "$status:$(mode_of aggregations):$("$DTR" merge aggregations | awk 'NF { print $1 }')" 0:640:2 \
	'an existing file keeps its mode'
run "$DTR" -o text -qn 'BEGIN { trace(1); exit(0); }'
is "$status:$(mode_of text)" 0:644 'the mode of text follows the umask'

# ---- ulimit -n: wherever the limit is reached, the message names it ----
for engine in bpf user; do
	wrong=
	for n in 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		run sh -c "ulimit -n $n; exec \"\$@\"" sh "$DTR" -x engine=$engine -c 'sleep 0.1' -qn \
			'profile-97 { @ = count(); }'
		case $status:$err in
		0:* | *'too many open files: the limit on descriptors (ulimit -n) is too low'*) ;;
		*) wrong="$wrong $n: $err" ;;
		esac
	done
	is "$wrong" '' "engine $engine: a limit of open files that is too low"
done
done_testing
