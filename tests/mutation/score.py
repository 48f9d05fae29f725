# Runs the tests of a build with faults, once for each fault, and says what became of it.
# SPDX-License-Identifier: Apache-2.0
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time

# The numbers of the faults of survivors.txt begin here; those before are drawn.
first_survivor = 1001


class Trial:
    """The tests, run with one fault or none."""

    def __init__(self, tests):
        self.tests, self.seconds = tests, {}
        for test in tests:
            if self.is_doctest(test):
                test["command"].append("--abort-after=1")

    def run(self, test, number, mark, limit):
        """The reason for which the test fails; nothing if it passes."""
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TMPDIR": folder, "SPIO_FAULT": str(number), "SPIO_FAULT_REACHED": str(mark)}
            environment |= dict(entry.split("=", 1) for entry in test["environment"])
            started = subprocess.Popen(test["command"], cwd=test["folder"], env=environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                output = started.communicate(timeout=limit)[0].decode(errors="replace")
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                started.communicate()
                return "does not end"
        if started.returncode in (0, test["skip"]):
            return ""
        case = re.search(r"^TEST CASE: +(.*)", output, re.M)
        return case[1] if case else (output.strip().splitlines() or ["fails"])[-1][:120]

    @staticmethod
    def is_doctest(test):
        name = pathlib.Path(next(word for word in reversed(test["command"]) if not word.startswith("-"))).name
        return re.fullmatch(r"test_\w+", name) is not None and name not in ("test_kernels", "test_harness")

    def without_faults(self, jobs):
        """Leaves out what does not pass, and times the others. Cases of doctest are left out one by one."""
        def attempt(test):
            left_out, command = [], test["command"]
            for _ in range(12):
                start = time.monotonic()
                reason = self.run(test, 0, "/dev/null", 900)
                self.seconds[test["name"]] = time.monotonic() - start
                if not reason:
                    return True
                print(f"mutate: without a fault {test['name']} fails: {reason}", flush=True)
                if not self.is_doctest(test) or reason == "does not end":
                    return False
                left_out.append(reason.split(",")[0] + "*")
                test["command"] = [*command, "-tce=" + ",".join(left_out)]
            return False
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            passed = list(pool.map(attempt, self.tests))
        self.tests = [test for test, is_good in zip(self.tests, passed) if is_good]

    def verdict(self, entry, marks):
        """What kills the fault, or nothing; and whether a test reached it."""
        mark = marks / str(entry["number"])
        for pattern in entry["tests"]:
            for test in self.tests:
                if re.fullmatch(pattern, test["name"]):
                    reason = self.run(test, entry["number"], mark, 60 + 10 * self.seconds[test["name"]])
                    if reason:
                        return f"{test['name']}: {reason}", True
        return "", mark.exists()


def score(tree, jobs, numbers):
    """Runs the tests for each fault, and prints what became of it."""
    saved = json.loads((tree / "mutation.json").read_text())
    entries = [entry for entry in saved["faults"] if not numbers or entry["number"] in numbers]
    patterns = {pattern for entry in entries for pattern in entry["tests"]}
    trial = Trial([test for test in saved["tests"] if any(re.fullmatch(p, test["name"]) for p in patterns)])
    trial.without_faults(jobs)
    print("mutate: passing without a fault: " + ", ".join(f"{t['name']} {trial.seconds[t['name']]:.0f} s" for t in trial.tests))
    counts = collections.defaultdict(lambda: [0, 0])
    random.Random(0).shuffle(entries)  # what takes long is spread
    with tempfile.TemporaryDirectory() as marks, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        os.chmod(marks, 0o777)
        waiting = {pool.submit(trial.verdict, entry, pathlib.Path(marks)): entry for entry in entries}
        for done in concurrent.futures.as_completed(waiting):
            entry, (killer, is_reached) = waiting[done], done.result()
            counts["once survived" if entry["number"] >= first_survivor else entry["room"]][bool(killer)] += 1
            verdict = f"killed by {killer}" if killer else "SURVIVED" + ("" if is_reached else ", not reached")
            print(f"{entry['number']} {entry['place']} {verdict}\n  - {entry['old']}\n  + {entry['new']}", flush=True)
    for room, (survived, killed) in sorted(counts.items()):
        print(f"{room:22} {killed} of {killed + survived}")
    killed, planted = sum(count[1] for count in counts.values()), sum(map(sum, counts.values()))
    print(f"summary: mutation: seed {saved['seed']}, {killed} of {planted} killed")
