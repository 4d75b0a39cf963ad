# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The page of -O html in a browser: real clicks into the flame graph, a search, zooms, sorted tables. The page is
# share/picture.html with what tests/golden/picture_page.html holds, which the golden test compares with what dtr
# writes. A folder in PICTURES keeps screenshots.
. "$SRC/tests/lib/tap.sh"

for browser in chromium-headless-shell chromium chromium-browser google-chrome; do
	command -v "$browser" >/dev/null && break
	browser=
done
[ -n "$browser" ] || { echo "1..0 # SKIP no Chromium"; exit 0; }

page() { # NAME: leaves the address of the page in $url
	awk -v data="$SRC/tests/golden/$1.html" 'BEGIN { getline text <data }
		{ i = index($0, "@DATA@") } i { print substr($0, 1, i - 1) text substr($0, i + 6); next } { print }' \
		"$SRC/share/picture.html" >"$work/$1.html"
	url=file://$work/$1.html
}
drive() { # commands for the browser: leaves $status and $out
	printf '%s\n' \
		'eval (window.frame = t => [...document.querySelectorAll("section:nth-of-type(1) .f")].find(e => '\
'e.textContent === t), 1)' \
		'eval (window.share = t => frame(t) ? Math.round(100 * frame(t).offsetWidth / '\
'document.querySelector(".graph").clientWidth) : "none", 1)' \
		"$@" >"$work/commands"
	timeout -k 5 600 "$here/tests/picture/browser" "$browser" "$url" <"$work/commands" >"$work/out" 2>"$work/err"
	status=$?
	out=$(sed 1,2d "$work/out")
	err=$(cat "$work/err")
}
line() { printf '%s\n' "$out" | sed -n "$1p"; }

page picture_page
drive 'eval document.querySelectorAll("section").length' \
	'eval document.querySelectorAll("section:nth-of-type(1) .f").length' \
	'eval share("all") + " " + share("work`main") + " " + share("work`parse")' \
	'eval frame("all").offsetTop > frame("work`parse").offsetTop' \
	'eval document.querySelector(".reset").disabled' \
	'click frame("work`parse")' \
	'eval share("all") + " " + share("work`parse") + " " + share("work`leaf") + " " + share("work`render")' \
	'eval frame("work`main").classList.contains("above")' \
	'eval document.querySelector(".detail").textContent' \
	'click document.querySelector(".reset")' \
	'eval share("work`parse") + " " + document.querySelector(".reset").disabled'
is "$status:$err" 0: 'the page opens without errors and without network access'
is "$(line 1)" 4 'a section for each aggregation'
is "$(line 2)" 9 'a frame for each node of the tree'
is "$(line 3)" '100 80 60' 'the width of a frame is its share'
is "$(line 4)" true 'the root is at the bottom'
is "$(line 5)" true 'reset is disabled at first'
is "$(line 6)" '100 100 75 none' 'a click zooms: the frame has the whole width, its neighbour disappears'
is "$(line 7)" true 'its callers remain, dimmed'
is "$(line 8)" 'work`parse ? 12 samples ? 124 ms (60.00 % of all, 100.00 % of this view), itself 3' \
	'the frame is described'
is "$(line 9)" '60 true' 'reset shows everything again'

drive 'click document.querySelector("input")' 'type LEAF$' \
	'eval document.querySelector(".matched").textContent' \
	'eval document.querySelectorAll(".hit").length' \
	'type |parse' \
	'eval document.querySelector(".matched").textContent' \
	'type (' \
	'eval document.querySelector("input").classList.contains("bad")' \
	'click frame("work`render")' \
	'key Escape' \
	'eval share("work`parse") + " [" + document.querySelector("input").value + "]"' \
	'click document.querySelector("input")' 'type render' 'click frame("work`render")' \
	'eval share("work`render") + " " + document.querySelector(".matched").textContent' \
	'key Escape' \
	'eval share("work`render") + " " + document.querySelectorAll(".hit").length'
is "$status:$err" 0: 'searching'
is "$(line 1)" 'matched: 50.00 % (10 of 20)' \
	'a search by regular expression ignores case and shows the share of the matches'
is "$(line 2)" 2 'all matches are marked'
is "$(line 3)" 'matched: 65.00 % (13 of 20)' 'matches within a match are not counted twice'
is "$(line 4)" true 'an invalid regular expression is reported'
is "$(line 5)" '60 []' 'Escape ends search and zoom'
is "$(line 6)" '100 matched: 20.00 % (4 of 20)' 'when zoomed, the share is still of the total'
is "$(line 7)" '20 0' 'zooming out'

drive 'click document.querySelector(".icicle")' \
	'eval frame("all").offsetTop < frame("work`parse").offsetTop' \
	'eval document.querySelector(".icicle").getAttribute("aria-pressed")' \
	'move frame("work`render")' \
	'eval document.querySelector(".detail").textContent' \
	'click document.getElementById("theme")' \
	'eval document.documentElement.dataset.theme + " " + getComputedStyle(document.body).backgroundColor' \
	"shot $work/dark.png" \
	'click document.getElementById("theme")' \
	'eval document.documentElement.dataset.theme + " " + getComputedStyle(document.body).backgroundColor' \
	"shot $work/light.png"
is "$status:$err" 0: 'switching to an icicle graph'
is "$(line 1)" true 'icicle: the root is at the top'
is "$(line 2)" true 'the button says so'
is "$(line 3)" 'work`render ? 4 samples ? 41.2 ms (20.00 % of all), itself 3' 'hovering describes a frame'
is "$(line 4)|$(line 5)" 'dark rgb(20, 23, 27)|light rgb(251, 251, 250)' 'dark and light colours'

drive 'eval (window.column = (s, n) => [...document.querySelectorAll(`section:nth-of-type(${s}) tbody tr`)].map(r => '\
'r.cells[n].textContent).join("|"), 1)' \
	'eval column(3, 0) + " " + column(3, 2)' \
	'click document.querySelector("section:nth-of-type(3) th button")' \
	'eval column(3, 0) + " " + document.querySelector("section:nth-of-type(3) th").getAttribute("aria-sort")' \
	'click document.querySelector("section:nth-of-type(3) th button")' \
	'eval column(3, 0) + " " + document.querySelector("section:nth-of-type(3) th").getAttribute("aria-sort")' \
	'eval [...document.querySelectorAll("section:nth-of-type(3) th")].map(t => t.textContent).join("|")' \
	'eval [...document.querySelectorAll("section:nth-of-type(2) .chart:nth-child(2) .bars > '\
'span:nth-child(3n+1)")].map(t => t.textContent).join("|")' \
	'eval [...document.querySelectorAll("section:nth-of-type(2) .chart:nth-child(2) .bar")].map(b => '\
'Math.round(100 * b.offsetWidth / b.parentNode.offsetWidth)).join("|")' \
	'eval column(4, 0)' \
	'click document.querySelector("summary")' \
	'eval document.querySelector("pre").textContent.includes("@most = max(pid)")' \
	'click document.querySelector("section:nth-of-type(1) td .stack")' \
	'eval document.querySelector("section:nth-of-type(1) td .stack").textContent.split("\n").join(" ")'
is "$status:$err" 0: 'tables'
is "$(line 2)" 'other|work 36,028,797,018,963,972|1,912' 'rows are sorted by value, exact beyond 2^53'
is "$(line 3)" 'other|work ascending' 'sorted by another column'
is "$(line 4)" 'work|other descending' 'sorted in reverse order'
is "$(line 5)" 'execname|pid|sum()|share' 'columns have the names of the script'
is "$(line 6)" '-1|0|1|2 ? 3|4 ? 7|8 ? 15|16 ? 31|32 ? 63|64 ? 127|128 ? 255|256 ? 511|512 ? 1,023' \
	'buckets are labelled by their bounds'
is "$(line 7)" '33|0|0|0|33|0|0|0|100|0|0|11' 'bars are as long as their counts'
is "$(line 8)" 7 'a value without keys'
is "$(line 9)" true 'the page shows the script'
is "$(line 10)" 'work`leaf work`parse work`main' 'a click shows a whole stack'

# Names with special characters of HTML.
page picture_stacks
drive 'eval document.querySelectorAll("section").length' \
	'eval [...document.querySelectorAll(".f")].some(e => e.textContent === "</script>;x")'
is "$status:$out" "0:4
true" 'names are shown as text'
# More frames than pixels: small neighbours are shown as one frame until the user zooms in. Keys work like the pointer.
awk 'BEGIN {
	printf "{\"program\":\"@[execname, ustack()]\",\"frames\":[[\"f\",\"x\"]],"
	printf "\"aggs\":[{\"name\":\"@\",\"func\":\"count\",\"counts\":true,"
	printf "\"keys\":[\"text\",\"ustack\"],\"rows\":[[[\"big\",[0]],30000]"
	for (i = 0; i < 30000; i++) printf ",[[\"t%05d\",[]],1]", i
	print "]}]}" }' >"$work/many.json"
awk -v data="$work/many.json" 'BEGIN { getline text <data }
	{ i = index($0, "@DATA@") } i { print substr($0, 1, i - 1) text substr($0, i + 6); next }
	{ print }' "$SRC/share/picture.html" >"$work/many.html"
url=file://$work/many.html
wide='eval (() => { const f = [...document.querySelectorAll(".f:not(.above)")].slice(1); '\
'return Math.round(100 * f.reduce((s, e) => s + e.offsetWidth, '\
'0) / document.querySelector(".graph").clientWidth); })()'
drive 'eval (n => n > 10 && n < 100)(document.querySelectorAll(".f.rest").length)' \
	'eval share("all") + " " + share("big") + " " + share("x`f")' \
	'click document.querySelector(".f.rest")' \
	'eval document.querySelector(".detail").textContent.replace(/[0-9,]+/g, "N")' \
	"$wide" \
	'click document.querySelector(".reset")' \
	'key ArrowUp' \
	'eval document.querySelector(".detail").textContent' \
	'key ArrowUp' 'key Enter' \
	'eval share("x`f") + " " + share("big") + " " + document.querySelector(".cur")' \
	'key ArrowDown' 'key Enter' 'key ArrowDown' 'key ArrowUp' \
	'eval document.querySelector(".detail").textContent' \
	'key Escape' \
	'eval share("big") + " " + document.querySelector(".reset").disabled' \
	'eval document.querySelectorAll("tbody tr").length + " " + document.querySelector(".scroll + '\
'button").textContent' \
	'click document.querySelector(".scroll + button")' \
	'eval document.querySelectorAll("tbody tr").length + " " + document.querySelector(".scroll + '\
'button").textContent' \
	"shot $work/many.png"
is "$status:$err" 0: 'many frames'
is "$(line 1)" true 'frames too small to be seen are combined'
is "$(line 2)" '100 50 50' 'the width of the others is their share'
like "$(line 3)" '^N narrow frames . N events .N[.]N % of allN N[.]N % of this view.N itself N$' \
	'frames of different objects are distinguished'
between "$(line 4)" 95 115 'zoomed, its content has the whole width'
like "$(line 5)" '^big . 30,000 events .50.00 % of all.*, itself 0$' 'an arrow key moves to the largest callee'
is "$(line 6)" '100 100 null' 'Enter zooms'
like "$(line 7)" '^big . 30,000 events .50.00 % of all, 100.00 % of this view' 'arrow keys move out and in'
is "$(line 8)" '50 true' 'Escape zooms out'
is "$(line 9)" '12 Show 1,000 more of 29,989' 'a long table is shown in steps'
is "$(line 10)" '1012 Show 1,000 more of 28,989' 'the next step'
# Description of the run, units, legend; long labels and texts are shortened.
long=$(printf 'a_long_name_%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
cat >"$work/about.json" <<END
{"program":"profile-997 { @[execname, ustack(2), stack()] = count(); } 
io:::done { @bytes[pid] = sum(args[0]->len + 1); }",
"host":"example","subject":"the command '$long'","time":1795350788222,"seconds":2.83,
"frames":[["[truncated]"],["$long","prog"],["leaf","prog"],["schedule","vmlinux"]],
"aggs":[{"name":"@","func":"count","counts":true,"unit":"samples","interval":1003009,"keys":["text","ustack","stack"],
"rows":[[["prog",[0,1,2],[3]],100],[["prog",[0,1],[]],100],[["sh",[],[]],1200]]},
{"name":"@bytes","func":"sum","counts":true,"keys":["int"],"rows":[[[1],4096]]},
{"name":"@waited","func":"sum","counts":true,"unit":"microseconds","keys":["int"],"rows":[[[1],2500]]}]}
END
tr -d '\n' <"$work/about.json" >"$work/about.line"
awk -v data="$work/about.line" 'BEGIN { getline text <data }
	{ i = index($0, "@DATA@") } i { print substr($0, 1, i - 1) text substr($0, i + 6); next }
	{ print }' "$SRC/share/picture.html" >"$work/about.html"
url=file://$work/about.html
drive 'eval (window.legend = n => [...document.querySelectorAll(`section:nth-of-type(${n}) .legend span`)].filter(e '\
'=> e.offsetWidth).map(e => e.dataset.kind).join(" "), 1)' \
	'eval [...document.querySelectorAll(".fact dt")].map(e => e.textContent).join(" ")' \
	'eval [...document.querySelectorAll(".fact dd")].map(e => e.textContent)[0]' \
	'eval [...document.querySelectorAll(".fact dd")].map(e => e.textContent)[3]' \
	'eval (e => e.scrollWidth > e.clientWidth && getComputedStyle(e).textOverflow === "ellipsis" && '\
'e.title.length > 200)(document.querySelectorAll(".fact")[1])' \
	'eval document.querySelector("h2").textContent + "|" + document.querySelectorAll("h2")[1].textContent' \
	'eval [...document.querySelectorAll(".head .soft")].map(e => e.textContent).join("|")' \
	'eval legend(1) + "|" + legend(2)' \
	'eval (e => e.scrollWidth > e.clientWidth && getComputedStyle(e).textOverflow === '\
'"ellipsis")([...document.querySelectorAll(".f")].find(e => e.textContent.startsWith("a_long")))' \
	'eval [...document.querySelectorAll(".f.cut")].map(e => e.textContent).join(" ")' \
	'eval (p => ["ustack", "stack"].map(k => getComputedStyle(document.querySelector(`[data-kind=${k}] '\
'i`)).backgroundColor).map(c => c.match(/[0-9]+/g).map(Number)).map(c => c[0] > c[2]).join(" "))()' \
	'click document.querySelector("input")' 'type schedule' \
	'eval legend(1)' \
	"shot $work/about.png"
is "$status:$err" 0: 'the description of the run'
is "$(line 2)" 'host of on for' 'host, command, date, duration'
is "$(line 3)|$(line 4)" 'example|2.83 s' 'the description is shown as text'
is "$(line 5)" true 'a long command is shortened, and whole in its title'
is "$(line 6)" '@[execname, ustack(2), stack()] = count()|@bytes[pid] = sum(args[0]->len + 1)' \
	'a sum is labelled with its expression'
is "$(line 7)" '3 rows, 1,400 samples ? 1.4 s in all|1 row, 4,096 in all|1 row, 2.5 ms in all' 'units'
is "$(line 8)" 'ustack stack key cut|' 'the legend has only the kinds that occur'
is "$(line 9)" true 'a label that does not fit ends in an ellipsis'
is "$(line 10)" '[truncated]' 'a truncated stack is shown as such'
is "$(line 11)" 'true false' 'warm colours are processes, cold ones the kernel'
is "$(line 12)" 'ustack stack key cut hit' 'the legend explains matches during a search'
# Intervals: the same as in text (tests/golden/interval.out, tests/unit/test_shares.c).
page interval
drive 'eval (window.last = n => [...document.querySelectorAll(`section:nth-of-type(${n}) tbody tr`)].map(r => '\
'r.cells[3].textContent).join("|"), 1)' \
	'eval last(1)' 'eval last(3)' \
	'eval [...document.querySelectorAll("section:nth-of-type(4) th")].map(t => t.textContent).join("|")'
is "$status:$err" 0: 'a page with intervals'
is "$(line 2)" '15.82 .. 74.95 %|8.22 .. 64.11 %|2.57 .. 51.31 %|2.57 .. 51.31 %' 'intervals in a table'
is "$(line 3)" '8.22 .. 64.11 %|8.22 .. 64.11 %|2.57 .. 51.31 %' 'rows that trunc() has removed are samples, too'
is "$(line 4)" 'pid|sum()|share' 'a sum has no intervals'
printf '%s' '{"program":"","frames":[["f","x"]],"aggs":[{"name":"@","func":"count","counts":true,"unit":"samples",' \
	'"interval":1003009,"samples":{"removed":0,"lost":5,"idle":100},"keys":["int","ustack"],' \
	'"rows":[[[7,[]],1],[[8,[]],1],[[9,[0]],3],[[0,[]],4]]}]}' >"$work/lost.json"
awk -v data="$work/lost.json" 'BEGIN { getline text <data }
	{ i = index($0, "@DATA@") } i { print substr($0, 1, i - 1) text substr($0, i + 6); next }
	{ print }' "$SRC/share/picture.html" >"$work/lost.html"
url=file://$work/lost.html
drive 'move frame("9")' 'eval document.querySelector(".detail").textContent' \
	'eval document.querySelector(".head .soft").textContent'
is "$(line 1)" '9 ? 3 samples ? 3.01 ms (33.33 % of all, 95 % interval 7.57 .. 78.62 %), itself 0' \
	'losses make the interval of a frame wider'
is "$(line 2)" \
	'4 rows, 9 samples ? 9.03 ms in all, 5 lost; 100 that idle CPUs did not deliver are not counted' 'losses'
[ -z "${PICTURES-}" ] || cp "$work"/*.png "$PICTURES/"
done_testing
