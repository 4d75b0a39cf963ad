# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The real Prometheus reads dtr serve, in text and as native histograms; promtool accepts the text. Its counts are
# those of a program that knows them. It listens on this machine only and keeps its data in the test's folder.
. "$SRC/tests/lib/tap.sh"
known_calls

tools=$("$SRC/tools/prometheus" path) || { echo '1..0 # SKIP there is no Prometheus (tools/prometheus setup)'; exit 0; }
python3 -c '' 2>/dev/null || { echo '1..0 # SKIP there is no python3'; exit 0; }
need_kernel

free_port() { python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'; }
query() { # EXPRESSION: the values of the answer, one a line: labels, then the number
	python3 - "http://127.0.0.1:$port/api/v1/query" "$1" <<'EOF' 2>"$work/query.err"
import json, sys, urllib.parse, urllib.request
url = sys.argv[1] + "?" + urllib.parse.urlencode({"query": sys.argv[2]})
for r in json.load(urllib.request.urlopen(url, timeout=60))["data"]["result"]:
    labels = {k: v for k, v in r["metric"].items() if k not in ("instance", "job")}
    print(*("%s=%s" % l for l in sorted(labels.items())), r["value"][1])
EOF
}
start() { # OPTION...: sets $prometheus and $port
	port=$(free_port)
	cat >"$work/prometheus.yml" <<EOF
global:
  scrape_interval: 200ms
scrape_configs:
  - job_name: dtr
    static_configs:
      - targets: [$target]
EOF
	"$tools/prometheus" --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" \
		--web.listen-address="127.0.0.1:$port" --log.level=warn "$@" >"$work/prometheus.log" 2>&1 &
	prometheus=$!
	children="$children $prometheus"
}
says() { [ "$(query "$1")" = "$2" ]; } # EXPRESSION ANSWER

: >"$work/served.err"
"$DTR" serve --listen 127.0.0.1:0 -qn 'syscall::getppid:entry /execname == "known"/ { @calls[execname] = count();
	@values[execname] = quantize(1000); @mean = avg(5); @largest = max(-4); }' \
	>"$work/served.out" 2>"$work/served.err" &
server=$!
children="$children $server"
wait_for 'serving on' "$work/served.err"
target=$(sed -n 's,.*http://\(.*\)/,\1,p' "$work/served.err")
python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()' "http://$target/metrics"
run "$here/tests/kernel/known"
calls=$(printf '%s\n' "$out" | sed -n 's/^getppid //p')

start
wait_until says dtr_calls_total "__name__=dtr_calls_total execname=known $calls"
is "$(query dtr_calls_total)" "__name__=dtr_calls_total execname=known $calls" 'a counter' \
	"$(cat "$work/prometheus.log")"
is "$(query 'dtr_values_bucket{le=~"511.0|1023.0|[+]Inf"}' | sort)" "$(printf '%s\n' \
	"__name__=dtr_values_bucket execname=known le=+Inf $calls" \
	"__name__=dtr_values_bucket execname=known le=1023.0 $calls" \
	'__name__=dtr_values_bucket execname=known le=511.0 0' | sort)" 'a histogram'
is "$(query 'histogram_quantile(1, dtr_values_bucket)')" 'execname=known 1023' 'its largest value'
is "$(query 'dtr_mean_sum / dtr_mean_count'):$(query dtr_mean_avg):$(query dtr_largest)" \
	'5:__name__=dtr_mean_avg 5:__name__=dtr_largest -4' 'a mean, a maximum'
is "$(query 'sum(dtr_lost_total)'):$(query up)" '0:__name__=up 1' 'nothing is lost'
is "$(cat "$work/prometheus.log")" '' 'Prometheus has nothing to complain about'
stop "$prometheus"

rm -rf "$work/data"
start --enable-feature=native-histograms
wait_until says dtr_calls_total "__name__=dtr_calls_total execname=known $calls"
wait_until says 'histogram_count(dtr_values)' "execname=known $calls"
is "$(query 'histogram_count(dtr_values)')" "execname=known $calls" 'a native histogram' "$(cat "$work/prometheus.log")"
is "$(query 'histogram_fraction(512, 1024, dtr_values)')" 'execname=known 1' 'its bucket'
is "$(query dtr_calls_total)" "__name__=dtr_calls_total execname=known $calls" 'a counter from protobuf'
stop "$prometheus"

python3 -c 'import sys, urllib.request
sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())' "http://$target/metrics" >"$work/metrics"
"$tools/promtool" check metrics <"$work/metrics" >"$work/check" 2>&1
is "$?:$(cat "$work/check")" 0: 'promtool check metrics'
status=0
kill "$server"
wait "$server" || status=$?
is "$status" 0 'the end'
done_testing
