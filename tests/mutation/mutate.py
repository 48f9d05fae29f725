# Plants faults in the sources of rooms, all in one build, and says which test finds each.
# SPDX-License-Identifier: Apache-2.0
"""mutate.py [ROOM...] [--seed N] [--count N] [--tree FOLDER] [--jobs N] [--survivors] [--list | --plant | --run]

ROOM is a folder of sources, as modules/spec; without one all rooms share the count. The faults are drawn
with the seed, which is printed: the same seed draws the same from the same sources. faults.py says what a
fault is. They are written as switches into the copy of the sources in FOLDER, build/mutation unless it is
named, which is built with the preset ci; what does not compile is taken out and replaced by the next that
was drawn. Then the tests of the room run for each fault until one fails or does not end: the fault is killed.
One that survives shows what no test looks at, or changes nothing; the list says if no test reached it.

--list only draws. --run takes the build as it is. Whatever test does not pass without a fault is left out."""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import time

import faults
from score import first_survivor, score

root = pathlib.Path(__file__).resolve().parents[2]

# For each room its files, what is built, and the names of its tests, by regular expressions.
specs = ["spec", "launch", "command"]
rooms = {
    "aot": (["aot/*.cpp"], ["aot", "aot[.](wrong_line|verify|usage|device)", "command[.]program"]),
    "command": (["command/*.cpp", "command/*/*.cpp"], ["command", "command[.]program"]),
    "jit": (["jit/*.cpp"], ["jit[.]nvrtc", "launch"]),
    "kernels": (["kernels/[aclm]*2d/*.cuh", "kernels/axpby/*.cuh", "kernels/matmul/*.cuh", "kernels/spio/tile/*.cuh"], ["kernels"]),
    "modules/aot": (["modules/aot/*.cpp"], ["aot", "aot[.](wrong_line|verify|usage|device)", "launch", "command[.]program"]),
    "modules/axpby": (["modules/axpby/*.cpp"], specs),
    "modules/cache": (["modules/cache/*.cpp"], ["tuned", "cache", "jit[.]nvrtc", "launch", "command[.]program"]),
    "modules/conv2d": (["modules/conv2d/*.cpp"], specs),
    "modules/cuda": (["modules/cuda/*.cpp"], ["cuda", "launch"]),
    "modules/host": (["modules/host/*.cpp"], ["launch", "command"]),
    "modules/image": (["modules/image/*.cpp"], ["launch", "aot", "command"]),
    "modules/launch": (["modules/launch/*.cpp"], ["launch", "launch[.](aot_only|jit_only|wrong_policy|log)", "command"]),
    "modules/layernorm_2d": (["modules/layernorm_2d/*.cpp"], specs),
    "modules/matmul": (["modules/matmul/*.cpp"], specs),
    "modules/model": (["modules/model/*.cpp"], ["model", "spec"]),
    "modules/runtime": (["modules/runtime/*.cpp"], ["launch", "tuned", "command"]),
    "modules/spec": (["modules/spec/*.cpp"], specs),
    "modules/system": (["modules/system/*.cpp"], ["system", "system[.](ignored_children|privileged)", "tuned", "cache", "jit[.]nvrtc", "aot", "launch"]),
    "modules/text": (["modules/text/*.cpp"], ["aot", "launch", "command[.]program"]),
    "modules/tuned": (["modules/tuned/*.cpp"], ["tuned", "launch", "command"]),
    "sim": (["sim/*.cpp", "sim/*/*.cpp"], ["sim[.]arithmetic", "sim"]),
}
targets = ["test_aot", "test_cache", "test_command", "test_cuda", "test_launch", "test_model", "test_nvrtc", "test_sim",
           "test_sim_arithmetic", "test_spec", "test_system", "test_tuned", "privileged", "second_start", "slow_library",
           "spio", "spio_packer"]


def drawn(room, seed):
    """The faults of a room in the order in which they are drawn, none within another."""
    paths = sorted({path for pattern in rooms[room][0] for path in root.glob(pattern)})
    found = [fault for path in paths if path.name not in faults.files_left_alone for fault in faults.faults_of(path)]
    random.Random(f"{seed} {room}").shuffle(found)
    taken, order = collections.defaultdict(list), []
    for fault in found:
        if all(fault.end <= start or end <= fault.start for start, end in taken[fault.path]):
            taken[fault.path].append((fault.start, fault.end))
            order.append(fault)
    return order


def once_survived():
    """The faults of survivors.txt, each with its room."""
    text = (root / "tests/mutation/survivors.txt").read_text()
    for room, name, old, new in re.findall(r"^(\S+) (\S+)\n- ((?:.|\n)*?)\n\+ ?(.*)\n", text, re.M):
        path = root / name
        text_of_file = path.read_text()
        if text_of_file.count(old) != 1:
            sys.exit(f"mutate: {name} has '{old}' {text_of_file.count(old)} times; survivors.txt is to name what is there once")
        yield room, faults.Fault(path, text_of_file.index(old), text_of_file.index(old) + len(old), old, new)


class Planting:
    """The copy of the sources with faults in it, and their build."""

    def __init__(self, tree, jobs):
        self.tree, self.build, self.jobs = tree, tree / "build/ci", jobs
        self.planted, self.spare = {}, {}  # by number: (room, fault); by room: faults

    def draw(self, names, seed, count):
        found = {name: drawn(name, seed) for name in names}
        # A room with four times as many faults has twice as many planted.
        weights = {name: math.sqrt(len(found[name])) for name in names}
        for name in names:
            share = min(len(found[name]), max(1, round(count * weights[name] / sum(weights.values()))))
            self.spare[name] = found[name][share:]
            for fault in found[name][:share]:
                self.planted[len(self.planted) + 1] = (name, fault)

    def add(self, found, first):
        """Adds faults that are not drawn, numbered from `first`. A drawn one that touches one of them gives way."""
        for number, (room, fault) in enumerate(found, first):
            self.planted = {other: pair for other, pair in self.planted.items() if pair[1].path != fault.path
                            or pair[1].end <= fault.start or fault.end <= pair[1].start}
            self.planted[number] = (room, fault)

    def write(self):
        """Makes the copy what it is to be; files that are so already keep their time."""
        by_file = collections.defaultdict(list)
        for number, (_, fault) in self.planted.items():
            by_file[fault.path].append((number, fault))
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True).stdout
        for name in filter(None, names.split("\0")):
            source, copy = root / name, self.tree / name
            if not source.is_file():
                continue
            content = source.read_bytes()
            if source in by_file:
                content = faults.rewritten(content.decode(), by_file[source]).encode()
            if not copy.is_file() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                copy.chmod(source.stat().st_mode)

    def build_all(self):
        """Builds, and takes out what does not compile."""
        if not self.build.is_dir():
            subprocess.run(["cmake", "--preset", "ci"], cwd=self.tree, check=True, stdout=subprocess.DEVNULL)
        start = time.monotonic()
        words = ["cmake", "--build", self.build, "-j", str(self.jobs), "--target", *targets, "--", "-k", "0"]
        if any(room == "kernels" for room, _ in self.planted.values()):
            words.insert(words.index("--"), "test_kernels")
        while True:
            done = subprocess.run(words, capture_output=True, text=True, errors="replace")
            if done.returncode == 0:
                print(f"mutate: built in {time.monotonic() - start:.0f} s", flush=True)
                return
            wrong = self.wrong_in(done.stdout)
            if not wrong:
                sys.exit(f"mutate: the sources do not build:\n{done.stdout[-4000:]}")
            for number in wrong:
                room, fault = self.planted.pop(number)
                if number >= first_survivor:
                    print(f"mutate: does not compile: {fault.new}")
                elif self.spare[room]:
                    drawn_numbers = [other for other in self.planted if other < first_survivor]
                    self.planted[max([number, *drawn_numbers]) + 1] = (room, self.spare[room].pop(0))
            print(f"mutate: {len(wrong)} of {len(self.planted)} did not compile and are replaced", flush=True)
            self.write()

    def wrong_in(self, output):
        """The numbers of the faults that lie where a compiler found errors."""
        wrong = set()
        for path, line in set(re.findall(r"^(/[^:\n]*):(\d+):\d+: (?:fatal )?error", output, re.M)):
            path = pathlib.Path(path)
            if not path.is_relative_to(self.tree):
                continue
            text = path.read_text()
            near = [(text.count("\n", 0, found.start()) + 1, int(found[1]))
                    for found in re.finditer(r"spio_planted\((\d+)\)", text)]
            earlier = [pair for pair in near if pair[0] <= int(line) and pair[1] in self.planted]
            last = max(earlier)[0] if earlier else 0
            wrong.update(number for place, number in earlier if place == last)
        return wrong

    def save(self, seed):
        shown = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], capture_output=True, text=True)
        tests = []
        for test in json.loads(shown.stdout)["tests"]:
            if "command" in test and any(re.fullmatch(name, test["name"]) for _, names in rooms.values() for name in names):
                values = {entry["name"]: entry["value"] for entry in test["properties"]}
                tests.append({"name": test["name"], "command": test["command"], "skip": values.get("SKIP_RETURN_CODE", -1),
                              "environment": values.get("ENVIRONMENT", []), "folder": values["WORKING_DIRECTORY"]})
        entries = [{"number": number, "room": room, "place": f"{fault.path.relative_to(root)}:{self.line_of(fault)}",
                    "old": fault.old, "new": fault.new, "tests": rooms[room][1]} for number, (room, fault) in sorted(self.planted.items())]
        (self.tree / "mutation.json").write_text(json.dumps({"seed": seed, "faults": entries, "tests": tests}, indent=1))

    @staticmethod
    def line_of(fault):
        return fault.path.read_text().count("\n", 0, fault.start) + 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(sorted(rooms)))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--tree", type=pathlib.Path, default=root / "build/mutation")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--survivors", action="store_true", help="plant the faults of survivors.txt too")
    parser.add_argument("--list", action="store_true", help="draw, and plant nothing")
    parser.add_argument("--plant", action="store_true", help="draw and build, and run nothing")
    parser.add_argument("--run", nargs="*", type=int, help="run what is built: these numbers, or all")
    options = parser.parse_args()
    unknown = set(options.rooms) - set(rooms)
    if unknown:
        parser.error(f"there is no room {', '.join(unknown)}; there are {', '.join(rooms)}")
    if options.run is not None:
        return score(options.tree, options.jobs, options.run)
    planting = Planting(options.tree.resolve(), options.jobs)
    planting.draw(options.rooms or sorted(rooms), options.seed, options.count)
    if options.survivors:
        planting.add(once_survived(), first_survivor)
    print(f"mutate: seed {options.seed}: {len(planting.planted)} of "
          f"{len(planting.planted) + sum(map(len, planting.spare.values()))} faults", flush=True)
    if options.list:
        for number, (room, fault) in planting.planted.items():
            print(f"{number} {fault.path.relative_to(root)}:{planting.line_of(fault)}\n  - {fault.old}\n  + {fault.new}")
        return None
    planting.write()
    planting.build_all()
    planting.save(options.seed)
    return None if options.plant else score(options.tree.resolve(), options.jobs, [])


if __name__ == "__main__":
    sys.exit(main())
