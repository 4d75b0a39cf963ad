// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Goroutines that call functions of Go and C and the kernel; each prints its number.
package main

/*
static volatile int sink;
__attribute__((noinline)) static void c_mark(void) { sink++; }
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

func id() string {
	text := make([]byte, 64)
	return strings.Fields(string(text[:runtime.Stack(text, false)]))[1]
}

//go:noinline
func mark() {}

func main() {
	var all sync.WaitGroup
	for i := 0; i < 10000; i++ {
		all.Add(1)
		go func() {
			number := id()
			mark()
			runtime.Gosched()
			os.Getppid()
			runtime.Gosched()
			if number[len(number)-1] == '7' {
				C.c_mark()
			}
			fmt.Println(number)
			all.Done()
		}()
	}
	all.Wait()
}
