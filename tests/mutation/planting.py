# Writes faults as switches into a copy of the sources, and builds it.
# SPDX-License-Identifier: Apache-2.0
#
# A fault is a small edit of a source that some test should notice. Each is written as a switch, which the
# environment variable SPIO_FAULT turns on, so that one build has all. A room is a folder of sources.
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

root = pathlib.Path(__file__).resolve().parents[2]

# The files of each room; the algebra, whose laws are tested as types, is none.
rooms = {
    "aot": ["aot/*.cpp"],
    "command": ["command/*.cpp", "command/*/*.cpp"],
    "jit": ["jit/*.cpp"],
    "kernels": ["kernels/[aclm]*2d/*.cuh", "kernels/axpby/*.cuh", "kernels/matmul/*.cuh", "kernels/spio/tile/*.cuh"],
    "modules/aot": ["modules/aot/*.cpp"],
    "modules/axpby": ["modules/axpby/*.cpp"],
    "modules/cache": ["modules/cache/*.cpp"],
    "modules/conv2d": ["modules/conv2d/*.cpp"],
    "modules/cuda": ["modules/cuda/*.cpp"],
    "modules/cuda_python": ["modules/cuda_python/*.cpp"],
    "modules/host": ["modules/host/*.cpp"],
    "modules/image": ["modules/image/*.cpp"],
    "modules/launch": ["modules/launch/*.cpp"],
    "modules/layernorm_2d": ["modules/layernorm_2d/*.cpp"],
    "modules/matmul": ["modules/matmul/*.cpp"],
    "modules/model": ["modules/model/*.cpp"],
    "modules/runtime": ["modules/runtime/*.cpp"],
    "modules/spec": ["modules/spec/*.cpp"],
    "modules/system": ["modules/system/*.cpp"],
    "modules/text": ["modules/text/*.cpp"],
    "modules/tuned": ["modules/tuned/*.cpp"],
    "sim": ["sim/*.cpp", "sim/*/*.cpp", "sim/*.h", "sim/checker/*.h", "sim/instructions/*.h", "sim/scheduler/*.h"],
}
# What is built, and the tests that may judge, by a regular expression.
targets = ["early_end", "late_task", "test_aot", "test_cache", "test_command", "test_cuda", "test_cuda_python", "test_harness", "test_kernels",
           "test_launch", "test_model", "test_nvrtc", "test_setup", "test_sim", "test_sim_arithmetic", "test_spec", "test_system", "test_tuned",
           "privileged", "second_start", "slow_library", "spio", "spio_packer"]
judges = (r"aot|aot[.](wrong_line|verify|usage|device)|cache|command|command[.](local_models|program|setup)|cuda|cuda_python|jit[.]nvrtc|kernels|kernels[.](harness|planted.*)"
          r"|launch|launch[.](aot_only|jit_only|wrong_policy|no_model|live_log|live_tuning|refused_files|log|log_lines|early_end.*|second_start)|model|sim|sim[.]arithmetic|spec|spec[.]local_models|system"
          r"|system[.](ignored_children|late_task.*|privileged)|tuned")
# The numbers of the faults of survivors.txt begin here; those before are drawn.
first_survivor = 50000


def tools():
    """The environment in which bootstrap builds: with its own CMake, where it has installed one."""
    folder = root / "build/venv/bin"
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"} if (folder / "cmake").is_file() else None


def drawn(room, seed):
    """The faults of a room in the order in which they are drawn, none within another."""
    paths = sorted({path for pattern in rooms[room] for path in root.glob(pattern)})
    found = [fault for path in paths if path.name not in faults.files_left_alone for fault in faults.faults_of(path)]
    random.Random(f"{seed} {room}").shuffle(found)
    taken, order = collections.defaultdict(list), []
    for fault in found:
        if all(fault.end <= start or end <= fault.start for start, end in taken[fault.path]):
            taken[fault.path].append((fault.start, fault.end))
            order.append(fault)
    return order


def shares(sizes, count):
    """How many of each room make so many: a room with four times as many faults has twice as many of them."""
    weight = sum(map(math.sqrt, sizes.values()))
    return {name: min(size, max(1, round(count * math.sqrt(size) / weight))) for name, size in sizes.items()}


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
        self.planted = {}  # by number: (room, fault)
        self.contents = {}  # of the sources, by name, as they were when faults were drawn

    def draw(self, names, seed, count):
        """Draws so many faults of these rooms; returns how many there are to draw from."""
        found = {name: drawn(name, seed) for name in names}
        for name, share in shares({name: len(found[name]) for name in names}, count).items():
            for fault in found[name][:share]:
                self.planted[len(self.planted) + 1] = (name, fault)
        return sum(map(len, found.values()))

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
            if source.is_symlink() or not source.is_file():
                continue
            if name not in self.contents:
                self.contents[name] = source.read_bytes()
            content = self.contents[name]
            if source in by_file:
                content = faults.rewritten(content.decode(), by_file[source]).encode()
            if not copy.is_file() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                copy.chmod(source.stat().st_mode)

    def build_all(self):
        """Builds, optimized, and takes out what does not compile. Kernels of the host device have the sanitizer that they have
        in the preset ci; in place of the others, the standard library asserts that subscripts are in range."""
        if not (self.build / "build.ninja").is_file():
            flags = ["-DCMAKE_CXX_FLAGS=-w -ferror-limit=0 -D_GLIBCXX_ASSERTIONS -fsanitize=undefined -fno-sanitize=all",
                     "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -fsanitize=undefined", "-DSPIO_BUILD_EXAMPLES=OFF"]
            subprocess.run(["cmake", "--preset", "ci", *flags], cwd=self.tree, check=True, stdout=subprocess.DEVNULL, env=tools())
        start = time.monotonic()
        words = ["cmake", "--build", self.build, "-j", str(self.jobs), "--target", *targets, "--", "-k", "0"]
        while True:
            done = subprocess.run(words, capture_output=True, text=True, errors="replace", env=tools())
            if done.returncode == 0:
                print(f"mutate: built in {time.monotonic() - start:.0f} s, with {len(self.planted)} faults", flush=True)
                return
            wrong = self.wrong_in(done.stdout)
            if not wrong:
                sys.exit(f"mutate: the sources do not build:\n{done.stdout[-4000:]}")
            for number in wrong:
                room, fault = self.planted.pop(number)
                if number >= first_survivor:
                    print(f"mutate: does not compile: {fault.new}")
            print(f"mutate: {len(wrong)} did not compile and are taken out; {len(self.planted)} are left", flush=True)
            self.write()

    def wrong_in(self, output):
        """The numbers of the faults that lie where a compiler found errors, or else where it came from."""
        wrong, is_found, near = set(), True, {}
        for name, line, kind in re.findall(r"^(/[^:\n]*):(\d+):\d+: (fatal error|error|note)", output, re.M):
            if kind != "note":
                is_found = False
            path = pathlib.Path(name)
            if is_found or not path.is_relative_to(self.tree) or not path.is_file():
                continue
            if path not in near:
                text = path.read_text()
                near[path] = [(text.count("\n", 0, found.start()) + 1, int(found[1]))
                              for found in re.finditer(r"spio_planted\((\d+)\)", text)]
            standing = [pair for pair in near[path] if pair[1] in self.planted]
            earlier = max((place for place, _ in standing if place <= int(line)), default=-99)
            later = min((place for place, _ in standing if place > int(line)), default=10**6)
            last = earlier if int(line) - earlier < 6 or kind != "note" else later
            found = {number for place, number in standing if place == last}
            if abs(int(line) - last) < 12 or (kind != "note" and found):
                wrong |= found
                is_found = True
        return wrong

    def save(self, seed):
        """Removes what other faults led to, and writes mutation.json: the planted faults, and the command and environment of each test that may judge."""
        for path in [self.tree / "units.json", *self.tree.glob("verdicts-*.jsonl")]:
            path.unlink(missing_ok=True)
        shown = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], capture_output=True, text=True, env=tools())
        tests = []
        for test in json.loads(shown.stdout)["tests"]:
            if "command" in test and re.fullmatch(judges, test["name"]):
                values = {entry["name"]: entry["value"] for entry in test["properties"]}
                tests.append({"name": test["name"], "command": test["command"], "skip": values.get("SKIP_RETURN_CODE", -1),
                              "environment": values.get("ENVIRONMENT", []), "folder": values["WORKING_DIRECTORY"]})
        entries = [{"number": number, "room": room, "place": f"{fault.path.relative_to(root)}:{self.line_of(fault)}",
                    "old": fault.old, "new": fault.new} for number, (room, fault) in sorted(self.planted.items())]
        (self.tree / "mutation.json").write_text(json.dumps({"seed": seed, "faults": entries, "tests": tests}, indent=1))

    @staticmethod
    def line_of(fault):
        return fault.path.read_text().count("\n", 0, fault.start) + 1
