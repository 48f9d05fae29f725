# Runs a program, and passes if both its exit status and what it prints are as expected.
# SPDX-License-Identifier: Apache-2.0
"""expect.py [--status N] [--says EXPRESSION]... -- COMMAND...

CTest's own PASS_REGULAR_EXPRESSION ignores the exit status, and WILL_FAIL takes any failure, a crash
too. Here the status is N, or else 0, and each expression is found in the output.
"""
import argparse
import re
import subprocess
import sys

split = sys.argv.index("--")
parser = argparse.ArgumentParser()
parser.add_argument("--status", type=int, default=0)
parser.add_argument("--says", action="append", default=[])
options = parser.parse_args(sys.argv[1:split])
result = subprocess.run(sys.argv[split + 1 :], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print(result.stdout, end="")
faults = [f"'{words}' is not in what it says" for words in options.says if not re.search(words, result.stdout)]
if result.returncode != options.status:
    faults.insert(0, f"its exit status is {result.returncode}, not {options.status}")
print(*(f"expect: {fault}" for fault in faults), sep="\n", end="")
sys.exit(bool(faults))
