# Runs the tests of a build with faults, and says what became of each fault.
# SPDX-License-Identifier: Apache-2.0
#
# A unit is what can run alone: a case of a doctest program, a kernel of test_kernels, or a test. Each runs
# without a fault at first: that says how long it takes, and which switches it meets. Then the units that meet
# the switch of a fault run with it, those that take least first, until one fails or does not end: the fault
# is killed. A unit that fails without a fault, for want of a compiler maybe, counts if it says the same each time,
# and kills if it says something else. A fault that survives shows what no test looks at, or changes nothing;
# the list says how many units met it.
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

from faults import most_faults
from planting import shares

# A unit that takes longer by this than without a fault does not end.
patience_seconds, patience_factor = 20, 20


def read(tree):
    """What planting.py has saved: the planted faults, and the tests that may judge."""
    return json.loads((tree / "mutation.json").read_text())


def draw(tree, names, seed, count):
    """Numbers of planted faults of these rooms, which no earlier call has drawn, and notes them."""
    saved = read(tree)
    spare = collections.defaultdict(list)
    taken = {number for earlier in saved.get("drawn", {}).values() for number in earlier}
    for entry in saved["faults"]:
        if entry["room"] in names and entry["number"] not in taken:
            spare[entry["room"]].append(entry["number"])
    order = random.Random(seed)
    parts = shares({room: len(numbers) for room, numbers in sorted(spare.items())}, count)
    numbers = sorted(number for room, share in parts.items() for number in order.sample(spare[room], share))
    saved.setdefault("drawn", {})[f"{seed}"] = numbers
    (tree / "mutation.json").write_text(json.dumps(saved, indent=1))
    return numbers


class Unit:
    """What can run alone, and how it went without a fault."""

    def __init__(self, test, name, words):
        self.test, self.name, self.command = test, name, [*test["command"], *words]
        self.seconds, self.reached, self.reason, self.is_steady = 0.0, b"", "", True

    def run(self, number, reached, limit):
        """The reason for which it fails; nothing if it passes."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            environment = {**os.environ, "TMPDIR": folder, "SPIO_FAULT": str(number), "SPIO_FAULT_MARKS": reached}
            environment |= dict(entry.split("=", 1) for entry in self.test["environment"])
            started = subprocess.Popen(self.command, cwd=self.test["folder"], env=environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                output = started.communicate(timeout=limit)[0].decode(errors="replace")
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                started.communicate()
                return "does not end"
        if started.returncode in (0, self.test["skip"]):
            return ""
        said = re.findall(r"^(?:.*(?:ERROR|FAIL).*|     .*)$", output, re.M) or output.strip().splitlines() or [""]
        if self.test["name"] == "command.program":
            said = [" | ".join(said)]
        # Numbers and names of files are others each time.
        return f"ends with {started.returncode}: " + re.sub(r"0x\w+|\d+|(?<=spio_)\w+", "#", said[0].strip())[:900]

    def measure(self):
        """Runs without a fault."""
        with tempfile.NamedTemporaryFile() as marks:
            os.chmod(marks.name, 0o666)
            marks.truncate(most_faults)
            start = time.monotonic()
            self.reason = self.run(0, marks.name, 600)
            self.seconds = time.monotonic() - start
            self.reached = pathlib.Path(marks.name).read_bytes()
        if self.reason:
            self.is_steady = self.run(0, "", 600) == self.reason

    def kills(self, number):
        """Why it fails with the fault, if it passes without; or what else it says, if it fails without too."""
        reason = self.run(number, "", patience_seconds + patience_factor * self.seconds)
        return reason if reason != self.reason and self.run(0, "", 600) == self.reason else ""


def units_of(test):
    """The units of a test."""
    program = next((word for word in reversed(test["command"]) if not word.startswith("-")), "")
    name = pathlib.Path(program).name
    if test["name"] == "command.program":
        names = re.findall(r"^def (test_\w+)", "".join(
            path.read_text() for path in pathlib.Path(test["command"][1]).parent.glob("*.py")), re.M)
        return [Unit(test, f"{test['name']} {each}", [each]) for each in names] + [Unit(test, test["name"], [])]
    if len(test["command"]) > 2 or not re.fullmatch(r"test_\w+", name):
        return [Unit(test, test["name"], [])]
    if name == "test_kernels":
        said = subprocess.run([program, "--small"], capture_output=True, text=True).stdout
        names = sorted(set(re.findall(r"^(?:pass|FAIL) (\S+)", said, re.M)))
        return [Unit(test, f"{test['name']} {each}", [each]) for each in names]
    said = subprocess.run([program, "--list-test-cases"], capture_output=True, text=True, cwd=test["folder"]).stdout
    cases = [line for line in said.splitlines() if line and not line.startswith(("[doctest]", "===", "summary:"))]
    return [Unit(test, f"{test['name']}: {case}", ["--abort-after=1", "-tc=" + re.sub(r"[,\\\"]", "?", case)])
            for case in dict.fromkeys(cases)]


def verdict(entry, units):
    """What kills the fault, or nothing, and how many units met it."""
    meeting = [unit for unit in units if unit.reached[entry["number"]]]
    for unit in meeting:
        reason = unit.kills(entry["number"])
        if reason:
            return f"{unit.name}: {reason}", len(meeting)
    return "", len(meeting)


def score(tree, jobs, numbers):
    """Judges these faults, and prints what became of them."""
    saved = read(tree)
    entries = [entry for entry in saved["faults"] if entry["number"] in set(numbers)]
    counts = collections.defaultdict(lambda: [0, 0])
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        units = [unit for found in pool.map(units_of, saved["tests"]) for unit in found]
        random.Random(0).shuffle(units)
        list(pool.map(Unit.measure, units))
        for unit in units:
            if unit.reason:
                print(f"mutate: without a fault {unit.name} fails: {unit.reason}", flush=True)
        units = sorted((unit for unit in units if unit.is_steady), key=lambda unit: unit.seconds)
        print(f"mutate: {len(units)} units, in {sum(unit.seconds for unit in units):.0f} s; the longest take "
              + ", ".join(f"{unit.seconds:.1f} s ({unit.name})" for unit in units[:-9:-1])
              + f"; after {time.monotonic() - start:.0f} s", flush=True)
        # What most units meet takes longest.
        entries.sort(key=lambda entry: -sum(unit.reached[entry["number"]] * unit.seconds for unit in units))
        waiting = {pool.submit(verdict, entry, units): entry for entry in entries}
        for done in concurrent.futures.as_completed(waiting):
            entry, (killer, meeting) = waiting[done], done.result()
            counts[entry["room"]][bool(killer)] += 1
            said = f"killed by {killer[:300]}" if killer else f"SURVIVED {meeting} units"
            print(f"{entry['number']} {entry['place']} {said}\n  - {entry['old']}\n  + {entry['new']}", flush=True)
    for room, (survived, killed) in sorted(counts.items()):
        print(f"{room:22} {killed} of {killed + survived}")
    killed, planted = sum(count[1] for count in counts.values()), sum(map(sum, counts.values()))
    print(f"summary: mutation: {killed} of {planted} killed, in {time.monotonic() - start:.0f} s")
