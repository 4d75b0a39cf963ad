// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Calls of Go's run-time system that change to the stack of the thread. For each, prints how often it is called at most
// and with which stack, innermost function first: KIND COUNT FUNCTION...
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

const goroutines = 10000

// The functions on the stack, from the caller on.
func callers() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	names := ""
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		names += " " + f.Function
	}
	return strings.TrimSpace(names)
}

//go:noinline
func nothing(done chan bool) { done <- true }

//go:noinline
func spawn(depth int, done chan bool) string {
	if depth > 0 {
		return spawn(depth-1, done)
	}
	go nothing(done)
	return callers()
}

//go:noinline
func park(gate chan bool, stack *string) {
	if stack != nil {
		*stack = callers()
	}
	<-gate
}

//go:noinline
func parked(gate chan bool, stack *string) { park(gate, stack) }

//go:noinline
func grow(n int) int {
	var pad [128]int
	if n > 0 {
		pad[n%128] = grow(n - 1)
	}
	return pad[n%128] + 1
}

//go:noinline
func growing() int { return grow(100) + 1 }

//go:noinline
func collect() string {
	runtime.GC()
	return callers()
}

func main() {
	done := make(chan bool)
	for depth := 0; depth < 20; depth++ {
		stack := spawn(depth, done)
		<-done
		fmt.Println("spawn", 1, stack)
	}
	gate := make(chan bool)
	var stack string
	for i := 0; i < goroutines; i++ {
		p := &stack
		if i > 0 {
			p = nil
		}
		go func() { parked(gate, p); done <- true }()
	}
	time.Sleep(time.Second / 10)
	close(gate)
	for i := 0; i < goroutines; i++ {
		<-done
	}
	fmt.Println("park", goroutines, stack)
	go func() { growing(); done <- true }()
	<-done
	fmt.Println("collect", 1, collect())
	os.Exit(0)
}
