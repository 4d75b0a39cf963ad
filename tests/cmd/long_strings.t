# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A record that ends with a long string has only its beginning in the buffer: strings of all lengths are whole, and
# many short ones fit into a buffer that would hold a few of strsize=4096.
. "$SRC/tests/lib/tap.sh"
need_kernel

# Paths of known lengths, around those at which fewer bytes are sent; the last ones do not fit into strsize.
lengths='1 7 8 62 63 64 253 254 255 256 257 1000 1021 1022 1023 1024 1025 4000 4093 4094 4095 4096'
path() { printf "%${1}s" '' | tr ' ' x; }
for n in $lengths; do path "$n" | cut -c1-4095; done >"$work/want"
for n in $lengths; do
	printf '%s\n' "BEGIN { x = strjoin(\"$(path $((n - 1)))\", \"x\"); printf(\"%s\\n\", x); }"
done >"$work/all.d"
echo 'BEGIN { exit(0); }' >>"$work/all.d"
run "$DTR" -x strsize=4096 -qs "$work/all.d"
is "$status:$err" 0: 'strings of all lengths'
ok "$(printf '%s\n' "$out" | cmp -s - "$work/want"; echo $?)" 'each is whole, or cut at strsize'
run "$DTR" -O json -x strsize=4096 -qs "$work/all.d"
is "$(printf '%s\n' "$out" | sed -n 's/.*"args":\["\(x*\)"\].*/\1/p' | cksum)" "$(cksum <"$work/want")" 'as JSON, too'

if with_bpf 'system calls'; then
	# a buffer of 64 KB holds 15 strings of 4 KB
	ten='BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN'
	run "$DTR" -q -x strsize=4096 -x bufsize=64k -x switchrate=1m -x bufqueue=0 -n "
		BEGIN { x = \"short\"; }
		$ten, $ten, $ten { printf(\"%d %s\\n\", pid, x); }
		BEGIN { exit(0); }"
	is "$status:$err:$(printf '%s\n' "$out" | grep -c " short$")" 0::30 'short strings take little of the buffer'

	# ---- the tools show whole paths and arguments ----
	deep=$work
	while [ ${#deep} -lt 3000 ]; do deep=$deep/$(path 200); done
	mkdir -p "$deep"
	echo text >"$deep/file"
	# shellcheck disable=SC2016
	printf '%s\n' '#!/bin/sh' 'test -e "$1" || exit 1' 'while read -r line; do :; done <"$1"' >"$work/script"
	chmod +x "$work/script"
	run "$DTR" opensnoop -f "$deep/file" -c "$work/script $deep/file"
	like "$out" "$deep/file$" 'opensnoop: a path of 3,000 bytes'
	run "$DTR" statsnoop -c "$work/script $deep/file"
	like "$out" "$deep/file$" 'statsnoop'
	run "$DTR" fileslower -c "$work/script $deep/file" 0
	like "$out" "$deep/file$" 'fileslower'
	for tool in execs execsnoop; do
		run "$DTR" $tool -c "sh -c '/bin/echo $(path 3000) end; :'"
		like "$out" " /?(bin/)?echo $(path 3000) end$" "$tool: arguments of 3,000 bytes"
		run "$DTR" $tool -c "sh -c '/bin/echo $(path 5000) end; :'"
		like "$out" "/?(bin/)?echo $(path 4000)x*\\.\\.\\.$" "$tool: those that are longer have a mark"
	done
fi
done_testing
