# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# frames.py N: N functions, each called by the one before it; the last one makes system calls (getppid) for ever.
import os
import sys

n = int(sys.argv[1])
names = {'getppid': os.getppid}
for i in range(n):
    body = '    while True:\n        getppid()\n' if i == n - 1 else f'    x = {i}\n    return function_{i + 1}()\n'
    exec(compile(f'def function_{i}():\n{body}', f'/bench/frames_{i}.py', 'exec'), names)
names['function_0']()
