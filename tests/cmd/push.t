# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr serve --push: a recording store gets every count once, whatever fails in between.
. "$SRC/tests/lib/tap.sh"

if ! python3 -c '' 2>/dev/null || ! ldconfig -p | grep -Eq 'libcurl(-gnutls)?\.so\.4'; then
	skip 'pushes' 'python3 or libcurl is not installed'
	done_testing
	exit
fi

store() { # FOLDER FAILURES [PORT]: sets $store and $port
	mkdir -p "$1"
	: >"$work/port"
	python3 "$SRC/tests/lib/webclients.py" stub "$@" >"$work/port" 2>"$work/store.err" &
	store=$!
	children="$children $store"
	wait_until test -s "$work/port"
	port=$(cat "$work/port")
}
pushing() { # ARGUMENT...: sets $server
	: >"$work/pushed.err"
	"$DTR" serve --listen none -x engine=user --push-interval 1s "$@" >"$work/pushed.out" 2>"$work/pushed.err" &
	server=$!
	children="$children $server"
}
ended() { # sets $status
	status=0
	kill "$server" 2>/dev/null
	wait "$server" || status=$?
}
# Prints the sum of @n in all profiles of a folder, and how many there are.
received() { # FOLDER
	python3 - "$1" <<'EOF' >"$work/names"
import base64, glob, json, re, sys
for body in glob.glob(sys.argv[1] + "/*.body"):
    data = open(body, "rb").read()
    kind = open(body[:-4] + "type").read()
    if kind.startswith("multipart"):
        boundary = b"--" + re.search("boundary=(.*)", kind).group(1).encode()
        parts = data.split(boundary)
        assert parts[0] == b"" and parts[3] == b"--\r\n" and len(parts) == 4, parts
        head, profile = parts[1].split(b"\r\n\r\n", 1)
        assert b'name="profile"' in head and profile.endswith(b"\r\n")
        profile = profile[:-2]
        head, types = parts[2].split(b"\r\n\r\n", 1)
        assert b'name="sample_type_config"' in head
        assert json.loads(types) == {"@n": {"units": "samples", "aggregation": "sum", "display-name": "n",
                                            "sampled": False}}
    else:
        series, = json.loads(data)["series"]
        labels = {l["name"]: l["value"] for l in series["labels"]["labels"]}
        assert labels["__name__"] == "ticks" and labels["service"] == "a b" and labels["host"]
        profile = base64.b64decode(series["samples"][0]["rawProfile"], validate=True)
    open(body[:-4] + "pb", "wb").write(profile)
    print(body[:-4] + "pb")
EOF
	profiles=$(wc -l <"$work/names")
	sum=$(while read -r name; do "$here/tests/lib/profileshow" <"$name"; done <"$work/names" |
		awk '$1 == "@n" { sum += $2 } END { print sum + 0 }')
}
has() { [ "$(find "$1" -name "$2" 2>/dev/null | wc -l)" -ge "$3" ]; } # FOLDER NAMES NUMBER
# What END counts is pushed, too.
script='tick-50ms { @n = count(); i++; } END { @n = count(); printf("%d\n", i + 1); }'

# The first two attempts fail.
store "$work/a" 2
pushing -qn "$script" --push "http://127.0.0.1:$port/" --name ticks --label 'service=a b'
wait_until has "$work/a" '*.path' 3
ended
received "$work/a"
is "$status" 0 'the end'
same "$sum" "$(cat "$work/pushed.out")" 'each count arrives once, after failures'
ok "$([ "$profiles" -ge 3 ]; echo $?)" 'in several profiles' "$profiles"
like "$(cat "$work/a/1.path")" \
	'^/ingest\?name=ticks%7Bservice%3Da%20b%2Chost%3D[^&]*%7D&from=[0-9]+&until=[0-9]+&format=pprof&spyName=dtr$' \
	"Pyroscope's interface"
like "$(cat "$work/pushed.err")" \
	"failed to push to http://127.0.0.1:$port/: the server answered with status 503; trying" 'a failure is reported'
is "$(grep -c 'failed to push' "$work/pushed.err"):$(grep -c 'works again' "$work/pushed.err")" 1:1 'once, and its end'
python3 - "$work/a" <<'EOF'
import glob, re, sys
paths = [open(p).read() for p in glob.glob(sys.argv[1] + "/*.path")]
times = sorted(tuple(map(int, re.search("from=([0-9]+)&until=([0-9]+)", p).groups())) for p in paths)
sys.exit(not all(a < b for a, b in times))
EOF
ok $? 'times'

# Parca; a profile that is refused is not sent again.
mkdir "$work/b"
echo 400 >"$work/b/status"
store "$work/b" 0
pushing -qn "$script" --push "http://127.0.0.1:$port" --push-format parca --name ticks --label 'service=a b'
wait_for 'status 400; the profile is dropped' "$work/pushed.err"
rm "$work/b/status"
wait_until has "$work/b" '*.path' 2
ended
like "$(cat "$work/pushed.err")" '^dtr: [0-9]+ profiles? (was|were) dropped: the store refused (it|them)$' \
	'the number of refused profiles is reported at the end'
received "$work/b"
is "$(cat "$work/b/1.path") $(cat "$work/b/1.type")" '/api/profiles/writeraw application/json' "Parca's interface"
ok "$([ "$sum" -gt 0 ] && [ "$sum" -lt "$(cat "$work/pushed.out")" ]; echo $?)" 'the refused counts are not sent' \
	"$sum of $(cat "$work/pushed.out")"
kill "$store"

# Nothing listens: profiles wait in the folder, also for the next run.
pushing -qn "$script" --push "http://127.0.0.1:$port" --spool "$work/spool"
wait_until has "$work/spool" '*.pyroscope' 2
ended
first=$(cat "$work/pushed.out")
is "$status:$(find "$work/spool" -name '.*.pyroscope' | wc -l)" 0:0 'the end while the store is down'
is "$(stat -c %a "$work/spool")" 700 'the folder is private'
echo 'not ours' >"$work/spool/note"
store "$work/c" 0 "$port"
pushing -qn "$script" --push "http://127.0.0.1:$port" --spool "$work/spool"
wait_until has "$work/c" '*.path' 4
ended
received "$work/c"
same "$sum" $((first + $(cat "$work/pushed.out"))) 'the next run sends what waited'
is "$(ls "$work/spool")" note 'the folder is empty but for files of others'
kill "$store"

# The folder is bounded: the oldest profiles go, and are counted.
mkdir "$work/full"
for i in 1 2 3; do head -c 400000 /dev/zero >"$work/full/$i-2.pyroscope"; done
: >"$work/pushed.err"
"$DTR" serve --listen 127.0.0.1:0 -x engine=user -qn "$script" --push "http://127.0.0.1:$port" --spool "$work/full" \
	--spool-size 1 >"$work/pushed.out" 2>"$work/pushed.err" &
server=$!
children="$children $server"
wait_for 'serving on' "$work/pushed.err"
url=$(sed -n 's/.*serving on //p' "$work/pushed.err")
wait_until test ! -e "$work/full/1-2.pyroscope"
dropped() {
	python3 -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1], timeout=120).read().decode())' "${url}metrics" |
		sed -n 's/^dtr_push_dropped_total //p'
}
is "$(dropped):$(find "$work/full" -name '[23]-2.*' | wc -l)" 1:2 'the oldest is dropped and counted'
ended

# Two that use one folder would send its profiles twice.
pushing -qn "$script" --push "http://user:secret@127.0.0.1:$port" --push-interval 1 --spool "$work/shared"
wait_until has "$work/shared" '*.pyroscope' 1
run "$DTR" serve --listen none -x engine=user -qn "$script" --push "http://127.0.0.1:$port" --spool "$work/shared"
is "$status:$err" "1:dtr: serve: failed to open the folder $work/shared: another process uses it" 'one folder for two'
wait_for 'failed to push' "$work/pushed.err"
ended
is "$status" 0 'the first one goes on'
like "$(cat "$work/pushed.err")" "failed to push to http://127.0.0.1:$port: .*; trying again" \
	'a password is not in messages'
: >"$work/file"
run "$DTR" serve --listen none -x engine=user -n BEGIN --push http://127.0.0.1:1 --spool "$work/file"
is "$status" 1 'a file for a folder'
like "$err" "^dtr: serve: failed to open the folder $work/file: Not a directory$" 'with the reason'
run "$DTR" serve --listen none -x engine=user -n BEGIN --push http://127.0.0.1:1 --spool /proc/none
is "$status:$(printf '%s\n' "$err" | grep -c '^dtr: serve: failed to open the folder /proc/none: ')" 1:1 \
	'a folder that cannot be made'
done_testing
