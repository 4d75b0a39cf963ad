#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr profil, -O profil: cells of a program (tests/programs/shares.c) that knows the shares of its functions.
. "$SRC/tests/lib/tap.sh"
. "$SRC/tests/lib/shares.sh"
need_kernel
with_bpf 'dtr profil' || { echo '1..0 # SKIP needs BPF'; exit 0; }
for program in gcc nm od; do
	any_of $program || { echo "1..0 # SKIP no $program"; exit 0; }
done
cd "$work" || exit 1
cp "$SRC/tests/programs/shares.c" .
compile() { gcc -O1 -w -falign-functions=64 "$@" 2>"$work/gcc.err"; }
compile -o pie -pie -fPIE shares.c || { echo '1..0 # SKIP gcc fails'; exit 0; }
compile -o fixed -no-pie shares.c
compile -o static -static shares.c
compile -fPIC -shared -DLIBRARY -o libshares.so shares.c
compile -o library -DPROGRAM shares.c -L. -lshares -Wl,-rpath,"$work"

number() { printf '%d' "0x$1"; }
address() { number "$(nm "$1" | awk -v f="$2" '$3 == f { print $1 }')"; } # FILE FUNCTION
# FILE: the samples of f, g and h in the table $out against the times that the program has measured: 6 standard
# deviations, because a sample is an independent draw (shares.c). The functions are 64 bytes apart or more.
fits() {
	for f in f g h; do echo "$f $(address "$1" $f)"; done >functions
	shares_times >truth
	printf '%s\n' "$out" | awk '$1 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ { print $2, $3 }' | sed 's/^0x//' |
		while read -r a n; do echo "$(number "$a") $n"; done >cells
	awk 'FILENAME == "functions" { at[$1] = $2; next }
		FILENAME == "truth" { ns[$1] = $2; all += $2; next }
		{ best = ""; for (f in at) if (at[f] <= $1 && (best == "" || at[f] > at[best])) best = f
			if (best != "") { n[best] += $2; sum += $2 } }
		END { if (sum < 50) print "samples:", sum
			for (f in ns) {
				p = ns[f] / all
				d = n[f] / sum - p
				if (d < 0) d = -d
				if (d > 6 * sqrt(p * (1 - p) / sum)) print f, n[f], sum, p
			} }' functions truth cells
}

for kind in pie fixed static library; do
	[ -x $kind ] || { skip "$kind" "gcc: $(head -n 1 gcc.err)"; continue; }
	object=a.out file=$kind
	[ $kind != library ] || object=libshares.so file=libshares.so
	for scale in 0xffff 0x3fff; do
		run_shares "$DTR" profil -F 1999 -s $scale -O $object -c "./$kind 1000"
		is "$status:$err:$(fits $file)" 0:: "$kind, scale $scale: the shares are those of the program"
	done
	like "$out" "^ +[0-9]+ +0x[0-9a-f]+ +[0-9]+  f\\+0x[0-9a-f]+$" "$kind: cells have symbols"
done

# ---- the same samples as addresses: each is in its cell ----
exact() { # SCALE-BYTES BITS ARGUMENTS...: compares the array with addresses that the same run has saved
	bytes=$1 bits=$2
	shift 2
	rm -f saved raw
	run "$DTR" profil -x aggsave=saved -w "$bits" --raw raw "$@" -o f -c './pie 500'
	base=$(address pie f)
	"$DTR" merge saved | awk '$2 ~ /^[0-9]+$/ && sub(/pie`/, "", $1) { print $1, $2 }' | sed 's/+0x/ /' |
		while read -r name off n; do
			[ -n "$n" ] || { n=$off off=0; }
			echo "$((($(address pie "$name") + $(number "$off") - base) / bytes)) $n"
		done | awk '$1 >= 0 { n[$1] += $2 } END { for (i in n) print i, n[i] }' | sort -n >want
	od -An -v -w$((bits / 8)) -tu$((bits / 8)) raw | awk '$1 { print NR - 1, $1 }' >got
	same "$(cat got)" "$(cat want)" "an array of $bits bits, $bytes bytes of code in a cell"
}
exact 4 32
exact 2 16
exact 16 32 -s 0x3fff
exact 8 32 -s 0x8000
like "$err" '^dtr: Samples: [0-9]+ in cells, [0-9]+ before or after them, [0-9]+ in other objects$' 'the sums'
run "$DTR" profil -n 3 -w 16 --raw raw -o f -c './pie 100'
is "$status:$(wc -c <raw)" 0:6 '-n sets the number of cells'

# ---- scripts of the user ----
run "$DTR" -q -O profil -x profilscale=0x7fff -x profilbits=32 -x profilcells=1000 -x profiloffset=h -c './pie 300' \
	-n 'profile-997 /pid == $target && arg1/ { @samples[uaddr(arg1)] = count(); }'
like "$status:$out" '^Offset: 0x[0-9a-f]+, scale: 0x7fff, cells: 1000 of 4 bytes$' '-O profil of a script'
run "$DTR" -q -O profil -x profilraw -o raw -x profilcells=7 -c './pie 300' \
	-n 'profile-997 /pid == $target && arg1/ { @samples[uaddr(arg1)] = count(); }'
is "$status:$(wc -c <raw)" 0:28 '-x profilraw'

# ---- errors ----
for scale in 0 1 0x10000 -1 half 1.5; do
	run "$DTR" profil -s "$scale" -c 'touch begun'
	is "$status:$out$err" "1:dtr: invalid scale '$scale': expected 2 to 0xffff" "the scale '$scale' is refused"
done
ok "$([ ! -e begun ]; echo $?)" 'the command was not run'
run "$DTR" profil -o nosuch -c './pie 100'
like "$status:$err" "^1:dtr: -O profil: invalid offset 'nosuch': neither an address nor one function of pie$" \
	'an unknown function as the offset'
run "$DTR" profil -w 8 -c './pie 100'
like "$status:$err" "^2:dtr profil: '8' is not one of 16|32" 'cells of 8 bits are refused'
run "$DTR" profil -O libnosuch -c './pie 100'
like "$status:$err" '^0:dtr: no samples in libnosuch$' 'an object that is not mapped'
run "$DTR" profil --raw /nonexistent/raw -c './pie 100'
like "$status:$err" '^1:dtr: failed to open /nonexistent/raw: No such file or directory$' \
	'a file that cannot be written'
run "$DTR" profil
like "$status:$err" '^2:dtr profil: PID or -c COMMAND is missing' 'without a process'
done_testing
