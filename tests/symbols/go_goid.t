# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# goid: the numbers of goroutines that the program prints, at functions of Go and C and at system calls; 0 elsewhere.
. "$SRC/tests/lib/tap.sh"
case $(uname -m) in x86_64) ;; *) echo '1..0 # SKIP only on x86-64'; exit 0 ;; esac
any_of go && any_of gcc || { echo '1..0 # SKIP no Go or gcc'; exit 0; }
need_kernel
need_types
cd "$work" || exit 1
if [ "${DTR_OPT_ENGINE-}" = user ]; then
	run "$DTR" -qn 'BEGIN { trace(goid); exit(0); }'
	like "$err" 'goid is available only with BPF' 'refused without BPF'
	done_testing
	exit
fi

compared() { # NAME PROBE PATTERN
	grep -E "$3" printed | sort >want
	sed -n "s/^$2 //p" traced | sort >got
	same "$(sort -n got | uniq -c | awk '{ print $2, $1 }' | md5sum)" \
		"$(sort -n want | uniq -c | awk '{ print $2, $1 }' | md5sum)" "$1: $(wc -l <want) goroutines"
}

# In a static program, variables of C precede the thread's own data.
for option in '' '-buildmode=pie' '-ldflags=-s' '-ldflags=-linkmode=external -extldflags=-static'; do
	GO111MODULE=off GOCACHE=$here/tests/symbols/go-cache go build ${option:+"$option"} -o goid \
		"$SRC/tests/symbols/goid.go" \
		>messages 2>&1 || { ok 1 "go build $option" "$(cat messages)"; continue; }
	functions='pid$target::c_mark:entry { @[probefunc, goid] = count(); }'
	[ "$option" != -ldflags=-s ] || functions=
	rm -f traced
	run "$DTR" -qo traced -x aggsize=16m -n "pid\$target::main.mark:entry { @[probefunc, goid] = count(); }
		syscall::getppid:entry /pid == \$target/ { @[probefunc, goid] = count(); } $functions
		END { printa(\"%s %d\n\", @); }" -c ./goid
	printf '%s\n' "$out" >printed
	compared "goroutines $option, a function" main.mark .
	compared "goroutines $option, a system call" getppid .
	[ -z "$functions" ] || compared "goroutines $option, a function of C" c_mark '7$'
done
cat >library.go <<'END'
package main

import "C"
import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

//export work
func work() {
	done := make(chan bool)
	for i := 0; i < 20; i++ {
		go func() {
			text := make([]byte, 64)
			fmt.Println(strings.Fields(string(text[:runtime.Stack(text, false)]))[1])
			os.Getppid()
			done <- true
		}()
	}
	for i := 0; i < 20; i++ {
		<-done
	}
}

func main() {}
END
echo 'void work(void); int main(void) { work(); return 0; }' >user.c
if GO111MODULE=off GOCACHE=$here/tests/symbols/go-cache go build -buildmode=c-shared -o libwork.so library.go \
		>messages 2>&1 && gcc -o user user.c ./libwork.so 2>>messages; then
	rm -f traced
	run "$DTR" -qo traced -n 'syscall::getppid:entry /pid == $target/ { printf("getppid %d\n", goid); }' -c ./user
	printf '%s\n' "$out" >printed
	compared 'a library of Go' getppid .
else
	ok 1 'a library of Go is made' "$(cat messages)"
fi
run "$DTR" -qn 'syscall::getppid:entry /pid == $target/ { printf("%d", goid); exit(0); }' \
	-c "sh -c 'exec python3 -c \"import os; os.getppid()\"'"
any_of python3 && is "$out" 0 'not a program of Go'
run "$DTR" -qn 'int goid; BEGIN { goid = 3; printf("%d", goid); exit(0); }'
is "$out" 3 'a variable of the script'
run "$DTR" -qn 'BEGIN { printf("%d", goid); exit(0); }'
is "$out" 0 'BEGIN'
done_testing
