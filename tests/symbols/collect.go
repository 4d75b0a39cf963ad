// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Work that Go's run-time system does on stacks of its own: collecting garbage, growing stacks, reading the clock.
package main

import "time"

type node struct {
	left, right *node
	pad         [6]int
}

//go:noinline
func build(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{left: build(depth - 1), right: build(depth - 1)}
}

//go:noinline
func clocks(n int) int64 {
	var sum int64
	for i := 0; i < n; i++ {
		sum += time.Now().UnixNano()
	}
	return sum
}

//go:noinline
func grow(n int) int {
	var pad [64]int
	if n > 0 {
		pad[n%64] = grow(n - 1)
	}
	return pad[n%64] + 1
}

//go:noinline
func work() {
	for {
		build(12)
		clocks(2000)
		done := make(chan int)
		go func() { done <- grow(20) }()
		<-done
	}
}

func main() {
	work()
}
