# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr serve on this kernel: the pages, clients of all kinds, counts against those of a program that knows them.
. "$SRC/tests/lib/tap.sh"
known_calls

client() { python3 "$SRC/tests/lib/webclients.py" "$@" 2>"$work/client.err"; }
# Needs no curl. HEADER: an Accept header, or empty.
get() { # PAGE [HEADER]
	python3 -c 'import sys, urllib.request
r = urllib.request.Request(sys.argv[1], headers={"Accept": sys.argv[2]} if sys.argv[2] else {})
sys.stdout.buffer.write(urllib.request.urlopen(r, timeout=120).read())' "$url$1" "${2-}" 2>"$work/get.err"
}
value() { sed -n "s/^$1 //p"; } # SERIES, a regular expression
is_serving() { grep -q 'serving on' "$work/served.err" || ! kill -0 "$server"; }
serve() { # ARGUMENT...: sets $server and $url
	: >"$work/served.err"
	"$DTR" serve --listen "${listen:-127.0.0.1:0}" "$@" >"$work/served.out" 2>"$work/served.err" &
	server=$!
	children="$children $server"
	wait_until is_serving
	url=$(sed -n 's/.*serving on //p' "$work/served.err")
}
ended() { # sets $status
	status=0
	wait "$server" || status=$?
}

run "$DTR" serve --help
is "$status" 0 'help'
like "$out" 'default: 127\.0\.0\.1:9435' 'by default on this machine only'
for address in 9435 localhost:http ::1:80 '[::1]' 1.2.3.4:65536 '' 127.0.0.1:-1; do
	run "$DTR" serve -x engine=user -n BEGIN --listen "$address"
	is "$status:$out" 1: "--listen '$address' is refused"
done
like "$err" "dtr: serve: invalid address '127.0.0.1:-1': expected ADDRESS:PORT" 'with the reason'
for words in '--host a/b' '--listen none' '--push ftp://a' '--push-format x' '--push-interval 1ms' '--label 1=a' \
	'--label a=b,c' '--push http://' '--push http://:1' '--push http://a:65536' '--push http://[::1' \
	'--push http://u:p@' \
	'--push http://a/?b' '--push-interval 0' '--label a=b --label a=c' '--name a{b' '--spool-size 0' '--listen'; do
	# shellcheck disable=SC2086
	run "$DTR" serve -n BEGIN $words
	is "$status" 2 "$words is refused"
done

run "$DTR" serve -r recording -n BEGIN
is "$status:$err" '2:dtr serve: a recording is not live: query it with dtr -r' 'a recording is not served'
run "$DTR" serve -q
is "$status:$err" '2:dtr serve: no script: SCRIPT.d or -n SCRIPT (see dtr serve -h)' 'no script'

if ! python3 -c '' 2>/dev/null || ! ldconfig -p | grep -q libmicrohttpd.so.12; then
	skip 'the server' 'python3 or libmicrohttpd is not installed'
	done_testing
	exit
fi

run "$DTR" serve --listen 127.0.0.1:0 -x engine=user -qn 'sched:::on-cpu { @ = count(); }'
unlike "$status:$err" '^0:|serving on' 'a session that does not begin is not called served'
serve -x engine=user -qn 'BEGIN { @n = count(); @lat["a\"b"] = quantize(100); printf("begun\n"); }'
same "$(get metrics | value 'dtr_n_total')" 1 'a counter'
is "$(get metrics 'application/openmetrics-text; version=1.0.0,text/plain;q=0.5' | tail -n 1)" '# EOF' 'OpenMetrics'
is "$(get metrics 'text/plain, application/openmetrics-text;q=0.3' | grep -c EOF)" 0 'the preferred form'
is "$(get metrics 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited' |
	tr -d '\0' | grep -ac 'dtr_lat.*quantize')" 1 'protobuf'
get flame | grep -q '</html>'
ok $? 'the page with pictures'
get profile >"$work/profile.pb.gz"
run sh -c '"$1" <"$2"' sh "$here/tests/lib/profileshow" "$work/profile.pb.gz"
is "$status" 0 'the profile'
is "$(get healthz)" ok 'healthz'
get | grep -q /metrics
ok $? 'the index'
client hostile "$url" >"$work/hostile"
is "$(grep -E '^(path|script|accept|delete) ' "$work/hostile" | sort | tr '\n' ';')" \
	'accept 200;delete 405;path 404;script 200;' 'unknown paths and methods'
is "$(grep -Ec '^(garbage|long-[a-z]*) (nothing|closed|4[0-9][0-9])$' "$work/hostile")" 3 'bad requests' \
	"$(cat "$work/hostile")"
is "$(client clients "${url}metrics" 1000)" 200:1000 '1,000 clients at once'
mkfifo "$work/go"
client slow "${url}metrics" 500 <"$work/go" >"$work/slow" &
slow=$!
children="$children $slow"
exec 3<>"$work/go"
wait_for ready "$work/slow"
same "$(get metrics | value 'dtr_n_total')" 1 'with 500 clients that do not finish their requests'
exec 3>&-
wait $slow
# More than there are connections; each would be ended only if it were idle.
client trickle "$url" 600 <"$work/go" >"$work/trickle" &
trickle=$!
children="$children $trickle"
exec 3<>"$work/go"
wait_for ready "$work/trickle"
is "$(get healthz)" ok 'with 600 clients that send a byte each second'
echo >&3
wait $trickle
exec 3>&-
from() { # HOST: the status of a request with this Host
	python3 -c 'import sys, urllib.request, urllib.error
r = urllib.request.Request(sys.argv[1], headers={"Host": sys.argv[2]})
try:
	print(urllib.request.urlopen(r, timeout=120).status)
except urllib.error.HTTPError as e:
	print(e.code)' "${url}healthz" "$1" 2>&1
}
is "$(from localhost:1) $(from LOCALHOST) $(from 10.1.2.3) $(from '[::1]:80') $(from "$(uname -n)")" \
	'200 200 200 200 200' 'the host of a request: addresses, localhost, the name of this machine'
is "$(from evil.example) $(from evil.example:80) $(from 127.0.0.1.evil.example)" '421 421 421' 'other hosts are refused'
kill -TERM "$server"
ended
is "$status:$(cat "$work/served.out")" 0:begun 'SIGTERM ends it; the aggregations are not printed'
unlike "$(cat "$work/served.err")" 'rror|ropped' 'nothing is reported'

serve -x engine=user --host other.example --host=b -qn 'BEGIN { @n = count(); } tick-10ms { }'
is "$(from other.example) $(from B:1) $(from c)" '200 200 421' '--host'
kill -TERM "$server"
ended
listen='[::1]:0'
if python3 -c 'import socket; socket.socket(socket.AF_INET6).bind(("::1", 0))' 2>/dev/null; then
	serve -x engine=user -qn 'BEGIN { @n = count(); } tick-10ms { }'
	like "$url" '^http://\[::1\]:[0-9]+/$' 'IPv6'
	same "$(get metrics | value 'dtr_n_total')" 1 'a counter over IPv6'
	run "$DTR" serve -x engine=user -n BEGIN --listen "$(echo "$url" | sed 's,http://\(.*\)/,\1,')"
	is "$status:$(printf '%s' "$err" | grep -c 'failed to listen on .* in use')" 1:1 'an address that is in use'
	kill -INT "$server"
	ended
	is "$status" 0 'SIGINT'
else
	skip 'IPv6' 'it is off'
fi
listen=
printf 'BEGIN { @ = count(); } tick-10ms { exit($1); }\n' >"$work/a.d"
serve -x engine=user --host other.example --host=b "$work/a.d" 7
ended
is "$status" 7 'the status of exit(); a script file with an argument'

if with_bpf 'system calls' && "$here/tests/kernel/can_bpf" >/dev/null; then
	serve -qn 'syscall::getppid:entry /execname == "known"/ { @calls[execname, probefunc] = count();
		@values[execname] = quantize(1000); @parents = avg(arg0 * 0 + 2); }'
	get healthz >/dev/null
	get metrics >/dev/null		# the probes are active now
	run "$here/tests/kernel/known"
	calls=$(printf '%s\n' "$out" | sed -n 's/^getppid //p')
	counted() { [ "$(get metrics | value "$1")" = "$2" ]; }
	wait_until counted dtr_parents_count "$calls"
	get metrics 'application/openmetrics-text' >"$work/metrics"
	same "$(value 'dtr_calls_total{execname="known",probefunc="getppid"}' <"$work/metrics")" "$calls" 'calls'
	same "$(value 'dtr_values_bucket{execname="known",le="1023.0"}' <"$work/metrics")" "$calls" 'a bucket'
	same "$(value 'dtr_values_bucket{execname="known",le="511.0"}' <"$work/metrics")" 0 'the bucket below'
	same "$(value 'dtr_values_bucket{execname="known",le="+Inf"}' <"$work/metrics")" "$calls" 'all'
	same "$(value 'dtr_parents_sum' <"$work/metrics")" $((2 * calls)) 'a sum'
	is "$(value 'dtr_lost_total{.*}' <"$work/metrics" | sort -u)" 0 'nothing is lost'
	kill "$server"
	ended
	is "$status" 0 'the end'
fi
done_testing
