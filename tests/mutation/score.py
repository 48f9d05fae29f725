# Runs the tests of a build with faults, and says what became of each fault.
# SPDX-License-Identifier: Apache-2.0
#
# A unit is what can run alone: a case of a doctest program, a kernel of test_kernels, a test of command.program, or
# a test. Each runs without a fault once, which says how long it takes and which switches it meets; units.json keeps
# that until its program changes. A unit that fails or does not end then is named and judges nothing. The units that
# meet the switch of a fault run with it, those that take least first, until one fails or does not end: the fault is
# killed, if the unit passes without it once more. A fault that survives shows what no test looks at, or changes nothing.
# Each verdict is written to a file at once; a run that is stopped goes on from there.
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import threading
import time

from faults import most_faults
from planting import shares

# A unit runs no longer than this without a fault; with one, no longer than `shortest_limit` or so many times as long.
longest_unit, shortest_limit, limit_factor = 60, 5, 6


class Late(Exception):
    """There is no time left to judge in."""


def read(tree):
    """What planting.py has saved: the planted faults, and the tests that may judge."""
    return json.loads((tree / "mutation.json").read_text())


def draw(tree, names, seed, count):
    """Numbers of planted faults of these rooms, which no other seed has drawn, and notes them. The same seed draws the same."""
    saved = read(tree)
    drawn = saved.setdefault("drawn", {})
    if f"{seed}" in drawn:
        return drawn[f"{seed}"]
    spare = collections.defaultdict(list)
    taken = {number for other in drawn.values() for number in other}
    for entry in saved["faults"]:
        if entry["room"] in names and entry["number"] not in taken:
            spare[entry["room"]].append(entry["number"])
    order = random.Random(seed)
    parts = shares({room: len(numbers) for room, numbers in sorted(spare.items())}, count)
    drawn[f"{seed}"] = sorted(number for room, share in parts.items() for number in order.sample(spare[room], share))
    (tree / "mutation.json").write_text(json.dumps(saved, indent=1))
    return drawn[f"{seed}"]


class Unit:
    """What can run alone, and how it went without a fault."""

    def __init__(self, test, name, words):
        self.test, self.name, self.command = test, name, [*test["command"], *words]
        self.seconds, self.reached, self.reason = 0.0, set(), ""

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
        return f"ends with {started.returncode}: {said[0].strip()[:300]}"

    def measure(self):
        """Runs without a fault."""
        with tempfile.NamedTemporaryFile() as marks:
            os.chmod(marks.name, 0o666)
            marks.truncate(most_faults)
            start = time.monotonic()
            self.reason = self.run(0, marks.name, longest_unit)
            self.seconds = time.monotonic() - start
            self.reached = {number for number, mark in enumerate(pathlib.Path(marks.name).read_bytes()) if mark}

    def kills(self, number, end):
        """Why it fails with the fault, if it passes without."""
        limit = max(shortest_limit, limit_factor * self.seconds)
        if time.monotonic() + self.seconds > end:
            raise Late
        reason = self.run(number, "", min(limit, end - time.monotonic()))
        if not reason:
            return ""
        if time.monotonic() + self.seconds > end:
            raise Late
        return "" if self.run(0, "", limit) else reason


def units_of(test):
    """The units of a test."""
    program = next((word for word in reversed(test["command"]) if not word.startswith("-")), "")
    name = pathlib.Path(program).name
    if test["name"] == "command.program":
        names = re.findall(r"^def (test_\w+)", "".join(
            path.read_text() for path in pathlib.Path(test["command"][1]).parent.glob("*.py")), re.M)
        return [Unit(test, f"{test['name']} {each}", [each]) for each in names]
    if len(test["command"]) > 2 or test["command"][-1].startswith("-tc=") or not re.fullmatch(r"test_\w+", name):
        return [Unit(test, test["name"], [])]
    if name == "test_kernels":
        said = subprocess.run([program, "--small"], capture_output=True, text=True).stdout
        names = sorted(set(re.findall(r"^(?:pass|FAIL) (\S+)", said, re.M)))
        return [Unit(test, f"{test['name']} {each}", [each]) for each in names]
    said = subprocess.run([*test["command"], "--list-test-cases"], capture_output=True, text=True, cwd=test["folder"]).stdout
    cases = [line for line in said.splitlines() if line and not line.startswith(("[doctest]", "===", "summary:"))]
    return [Unit(test, f"{test['name']}: {case}", ["--abort-after=1", "-tc=" + re.sub(r"[,\\\"]", "?", case)])
            for case in dict.fromkeys(cases)]


def stamp(unit, digests):
    """Changes with the programs and scripts that the unit runs."""
    words = unit.command + [entry.split("=", 1)[1] for entry in unit.test["environment"]]
    for word in words:
        if word not in digests:
            path = pathlib.Path(word)
            digests[word] = hashlib.sha256(path.read_bytes() if path.is_absolute() and path.is_file() else word.encode()).hexdigest()
    return hashlib.sha256("".join(digests[word] for word in words).encode()).hexdigest()[:16]


def measured(tree, jobs, tests):
    """The units that pass without a fault, those that take least first; those not yet in units.json run."""
    path = tree / "units.json"
    known = json.loads(path.read_text()) if path.is_file() else {}
    start, digests, saved = time.monotonic(), {}, {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        units = [unit for found in pool.map(units_of, tests) for unit in found]
        stamps = {unit.name: stamp(unit, digests) for unit in units}
        fresh = [unit for unit in units if known.get(unit.name, {}).get("stamp") != stamps[unit.name]]
        for unit in units:
            if unit not in fresh:
                entry = known[unit.name]
                unit.seconds, unit.reached, unit.reason = entry["seconds"], set(entry["reached"]), entry["reason"]
        random.Random(0).shuffle(fresh)
        list(pool.map(Unit.measure, fresh))
    for unit in units:
        saved[unit.name] = {"stamp": stamps[unit.name], "seconds": round(unit.seconds, 3), "reason": unit.reason,
                            "reached": sorted(unit.reached)}
        if unit.reason:
            print(f"mutate: judges nothing, as without a fault {unit.name} {unit.reason}", flush=True)
    path.write_text(json.dumps(saved))
    units = sorted((unit for unit in units if not unit.reason), key=lambda unit: unit.seconds)
    print(f"mutate: {len(units)} units, in {sum(unit.seconds for unit in units):.0f} s; the longest take "
          + ", ".join(f"{unit.seconds:.1f} s ({unit.name})" for unit in units[:-9:-1])
          + f"; {len(fresh)} measured in {time.monotonic() - start:.0f} s", flush=True)
    return units


def verdict(entry, units, end):
    """What kills the fault, or nothing, and how many units met it. Raises Late if that would end after `end`."""
    meeting = [unit for unit in units if entry["number"] in unit.reached]
    for unit in meeting:
        reason = unit.kills(entry["number"], end)
        if reason:
            return f"{unit.name}: {reason}", len(meeting)
    return "", len(meeting)


def score(tree, jobs, numbers, path, seconds):
    """Judges those of these faults that the file at `path` has no verdict of, and prints what became of all."""
    saved, begin = read(tree), time.monotonic()
    chosen = set(numbers)
    verdicts = {}
    if path.is_file():
        verdicts = {found["number"]: found for found in map(json.loads, path.read_text().splitlines())}
    entries = [entry for entry in saved["faults"] if entry["number"] in chosen and entry["number"] not in verdicts]
    if entries:
        units, lock = measured(tree, jobs, saved["tests"]), threading.Lock()

        def judge(entry):
            try:
                killer, meeting = verdict(entry, units, begin + seconds)
            except Late:
                return
            found = {**entry, "killer": killer, "units": meeting}
            with lock, open(path, "a") as file:
                file.write(json.dumps(found) + "\n")
                verdicts[entry["number"]] = found

        # In any order, so that those judged until the time is up stand for all.
        random.Random(0).shuffle(entries)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(judge, entries))
    counts = collections.defaultdict(lambda: [0, 0])
    for number, found in sorted(verdicts.items()):
        if number in chosen:
            counts[found["room"]][bool(found["killer"])] += 1
            said = f"killed by {found['killer']}" if found["killer"] else f"SURVIVED {found['units']} units"
            print(f"{number} {found['place']} {said}\n  - {found['old']}\n  + {found['new']}", flush=True)
    for room, (survived, killed) in sorted(counts.items()):
        print(f"{room:22} {killed} of {killed + survived}")
    killed, judged = sum(count[1] for count in counts.values()), sum(map(sum, counts.values()))
    late = f", {len(chosen) - judged} not judged" if judged < len(chosen) else ""
    print(f"summary: mutation: {killed} of {judged} killed{late}, in {time.monotonic() - begin:.0f} s")
