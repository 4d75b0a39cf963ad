# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# jstack() where Python waits: for PostgreSQL, a disk, a lock, another thread; waits.py says what each place must show.
# Then the stacks of samples in every output format, also of recordings: each frame with its file and line.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP unwinding is supported only on x86-64'; exit 0 ;; esac
need_kernel
need_types
with_bpf 'probes of processes' || { echo '1..0 # SKIP needs BPF'; exit 0; }
python=/usr/bin/python3
[ -x "$python" ] && "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
	{ echo '1..0 # SKIP no Python 3.11 or later'; exit 0; }
export PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8 PYTHONPATH=
program=$SRC/tests/symbols/waits.py

# $out: "want PLACE STACK", "PLACE;FRAME;... COUNT". At every place the stacks that the program says for it are seen.
# Stacks that end with one of its lines must be one of those, at any place: a disk also works below fsync().
judge() { # NAME PLACE...
	name=$1
	shift
	printf '%s\n' "$out" | awk -v "places=$*" '
		/^want / { place = $2; sub(/^want [a-z]+ /, ""); want[place, $0]; any[$0]; all[place]
			   sub(/.*;/, ""); saying[$0]; next }
		!/;/ { next }
		{
			sub(/ [0-9.e+]+$/, "")
			count = split($0, part, ";")
			chain = frame = ""
			for (i = 2; i <= count; i++)
				if (part[i] ~ /\(.*:[0-9]+\)$/) {
					frame = part[i]
					chain = chain (chain == "" ? "" : ";") frame
				}
			if (!(frame in saying))
				next
			if (!(chain in any)) { bad++; print "bad: " $0 }
			seen[part[1], chain]
		}
		END {
			n = split(places, name)
			for (i = 1; i <= n; i++)
				if (!(name[i] in all)) { bad++; print "nothing said: " name[i] }
			for (w in want) {
				split(w, part, SUBSEP)
				if (index(" " places " ", " " part[1] " ") && !(w in seen)) {
					bad++
					print "not seen: " part[1] " " part[2]
				}
			}
			exit bad > 0
		}' >"$work/judged"
	ok $? "$name" "$(cat "$work/judged")" "$err"
}
waiting='syscall::futex:entry /pid == $target/ { @["futex", jstack(127)] = count(); }
	syscall::fsync:entry /pid == $target/ { @["fsync", jstack(127)] = count(); }
	sched:::off-cpu /pid == $target/ { @["sched", jstack(127)] = count(); }
	io:::start /pid == $target/ { @["io", jstack(127)] = count(); }
	syscall::poll:entry, syscall::recvfrom:entry /pid == $target/ { @["database", jstack(127)] = count(); }'
waits() { # NAME [DSN]
	rm -f "$work/shown"
	run "$DTR" -x ledger=off -q -O folded -o "$work/shown" -n "$waiting" -c "$python $program $work ${2:+'$2'}"
	out=$(printf '%s\n' "$out" && cat "$work/shown")
	places='futex fsync sched database'
	# a file system in memory has no direct writes, and the requests of others are made by their threads
	case $out in *'without io'*) ;; *) ! grep -q '^io;' "$work/shown" || places="$places io" ;; esac
	judge "$1" $places
}
waits 'a lock, fsync(), a pipe, a disk, an answer'

# ---- PostgreSQL ----
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
if [ "$bin" ] && "$python" -c 'import psycopg2' 2>/dev/null && id postgres >/dev/null 2>&1; then
	db=$work/db
	mkdir "$db"
	chmod 755 "$work"
	chown postgres "$db"
	runuser -u postgres -- "$bin/initdb" -D "$db/data" -A trust --no-sync >"$db.log" 2>&1
	setpriv --reuid postgres --regid postgres --clear-groups "$bin/postgres" -D "$db/data" \
		-c listen_addresses= -c "unix_socket_directories=$db" >>"$db.log" 2>&1 &
	server=$!
	children="$children $server"
	for _ in $(seq 600); do
		[ ! -S "$db/.s.PGSQL.5432" ] || break
		kill -0 $server 2>/dev/null || break
		sleep 0.1
	done
	waits 'which line waits for the database' "host=$db user=postgres dbname=postgres"
	kill -QUIT $server
	wait $server
else
	skip 'which line waits for the database' 'no PostgreSQL with psycopg2'
fi

# ---- formats ----
# $out: what the program says. $work/FORMAT: the stacks as dtr shows them.
formats_are() { # NAME
	want=$(printf '%s\n' "$out" | sed -n 's/^want cpu //p')
	for format in folded pprof speedscope html; do
		"$python" "$SRC/tests/symbols/formats.py" $format "$work/$format" >"$work/stacks"
		awk -v last="${want##*;}" 'substr($0, length($0) - length(last) + 1) == last' "$work/stacks" | sort -u \
			>"$work/judged"
		is "$(cat "$work/judged")" "$want" "$1: $format" "$err"
	done
}
sampled='profile-997 { @[jstack(127)] = count(); }'
for engine in bpf user; do
	run "$DTR" record -x engine=$engine -x ledger=off -q -g -F 997 -o "$work/rec" -c "$python $program $work"
	for format in folded pprof speedscope html; do
		rm -f "$work/$format"
		"$DTR" -r "$work/rec" -O $format -o "$work/$format" -qn "$sampled" 2>>"$work/said"
	done
	formats_are "a recording of the $engine engine"
done
done_testing
