// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Functions that take turns on one thread; prints the CPU time of each in microseconds: FUNCTION TIME.
package main

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

const threadTime = 3 // CLOCK_THREAD_CPUTIME_ID

func cpuTime() int64 {
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadTime, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

var sink int
var text [4096]byte

//go:noinline
func one() { spin(100000) }

//go:noinline
func two() { spin(200000) }

//go:noinline
func four() { spin(400000) }

//go:noinline
func spin(n int) {
	for i := 0; i < n; i++ {
		sink += i * sink
	}
}

// Works on the stack of the thread.
//
//go:noinline
func system() {
	for i := 0; i < 100; i++ {
		runtime.Stack(text[:], false)
	}
}

//go:noinline
func turns() {
	runtime.LockOSThread()
	functions := []func(){one, two, four, system}
	names := []string{"one", "two", "four", "system"}
	total := make([]int64, len(functions))
	begun := cpuTime()
	for before := begun; before-begun < 3e9; {
		for i, f := range functions {
			f()
			now := cpuTime()
			total[i] += now - before
			before = now
		}
	}
	for i, name := range names {
		fmt.Println(name, total[i]/1000)
	}
}

func main() { turns() }
