# Plants faults in the sources of one room, one at a time, and says which test finds each.
# SPDX-License-Identifier: Apache-2.0
"""mutate.py ROOM [--seed N] [--count N] [--build FOLDER] [--file NAME...] [--list]

ROOM is a folder of sources, as modules/spec. A fault is an edit of one line of a .cpp of it: another
comparison, another operator, a condition turned round, a number greater by one, a call left out. The
build is one with tests, build/ci unless another is named; the room's tests are built again and run by
ctest. A fault that does not compile is drawn again; one after which a test fails, or does not end, is
killed; any other survives, and either shows what no test looks at or changes nothing.

Faults are drawn with the seed, which is printed: the same seed draws the same from the same sources.
The file is put back however this ends. Lines that end processes or remove files are left alone."""
import argparse
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]

# For each room what is built, and the tests by ctest's expression.
rooms = {
    "aot": (["test_aot", "spio_packer"], "^aot(\\.wrong_line|\\.verify|\\.usage|\\.device)?$"),
    "command": (["test_command", "spio"], "^command(\\.program)?$"),
    "jit": (["test_nvrtc"], "^jit\\.nvrtc$"),
    "modules/axpby": (["test_spec", "test_launch"], "^(spec|launch)$"),
    "modules/cache": (["test_cache"], "^cache$"),
    "modules/conv2d": (["test_spec", "test_launch"], "^(spec|launch)$"),
    "modules/cuda": (["test_cuda"], "^cuda$"),
    "modules/image": (["test_aot", "test_launch"], "^(aot|launch)$"),
    "modules/launch": (["test_launch"], "^launch(\\.aot_only|\\.jit_only|\\.wrong_policy)?$"),
    "modules/layernorm_2d": (["test_spec", "test_launch"], "^(spec|launch)$"),
    "modules/spec": (["test_spec", "test_launch"], "^(spec|launch)$"),
    "modules/system": (["test_system", "privileged"], "^system"),
    "sim": (["test_sim", "test_sim_arithmetic"], "^sim(\\.arithmetic)?$"),
}

# What is never edited: with a wrong number it might end other processes, or remove other files.
left_alone = re.compile(r"\b(kill|unlink|unlinkat|remove|remove_all|rmdir|exec\w*|setuid|setgid|chown)\(")
files_left_alone = {"process.cpp", "fork.cpp"}

# Edits of a line without comments and texts: what is found, and what stands there instead.
edits = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" / ", " * "), (r" % ", " / "),
    (r"\+\+", "--"), (r" \+= ", " -= "), (r" \|= ", " = "), (r" & ", " | "),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"^\s*[\w.:>-]+\([^{}]*\);$", ""),  # a call that is left out
]
condition = re.compile(r"\bif \(")  # is turned round
number = re.compile(r"(?<![\w.])\d+(?![\w.])")  # becomes greater by one


class fault:
    """An edit: the line of this number in a file, as it is and as it becomes."""

    def __init__(self, path, line, old, new):
        self.path, self.line, self.old, self.new = path, line, old, new


def without_texts(line):
    """The line with comments and texts blanked, each character where it was."""
    return re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|//.*', lambda found: "\0" * len(found[0]), line)


def negated(line, start):
    """The line with the condition turned round whose bracket opens at `start`, or None if it ends elsewhere."""
    depth = 0
    for i in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[i], 0)
        if depth == 0:
            inside = line[start + 1 : i]
            return None if ";" in inside else f"{line[:start]}(!({inside})){line[i + 1:]}"
    return None


def edited(line, code):
    """All lines that one edit makes of this one."""
    for pattern, text in edits:
        for found in re.finditer(pattern, code):
            yield line[: found.start()] + text + line[found.end() :]
    for found in number.finditer(code):
        yield f"{line[:found.start()]}{int(found[0]) + 1}{line[found.end():]}"
    for found in condition.finditer(code):
        new = negated(line, found.end() - 1)
        if new:
            yield new


def faults_of(path):
    """Every fault that an edit of the file makes."""
    is_body = False
    for number, line in enumerate(path.read_text().splitlines()):
        code = without_texts(line)
        is_body = is_body or re.match(r"(inline |constexpr )?namespace\b", code) is not None
        if is_body and not left_alone.search(code) and not re.match(r"\s*(#|template|static_assert|using)\b", code):
            yield from (fault(path, number, line, new) for new in edited(line, code))


class planted:
    """A file with a fault in it, and as it was afterwards."""

    def __init__(self, found):
        self.found, self.text = found, found.path.read_text()

    def __enter__(self):
        lines = self.text.splitlines(keepends=True)
        lines[self.found.line] = self.found.new + "\n"
        self.found.path.write_text("".join(lines))

    def __exit__(self, *_):
        self.found.path.write_text(self.text)


def is_built(build, targets):
    """Builds targets, and says whether that succeeded."""
    words = ["cmake", "--build", build, "-j", "2", "--target", *targets]
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def killers(build, expression, limit):
    """What found the fault: the first test that failed and, where it says so, its case."""
    words = ["ctest", "--test-dir", build, "-R", expression, "--stop-on-failure", "--output-on-failure"]
    ctest = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                             start_new_session=True)
    try:
        output, _ = ctest.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(ctest.pid, signal.SIGKILL)
        ctest.communicate()
        return "a test that does not end"
    if ctest.returncode == 0:
        return ""
    failed = re.search(r"\d+ - (\S+) \((\w+)", output)
    case = re.search(r"^TEST CASE: +(.*)", output, re.M)
    return f"{failed[1]} ({failed[2]})" + (f": {case[1]}" if case else "") if failed else "a test"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("room", choices=sorted(rooms))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--build", type=pathlib.Path, default=root / "build/ci")
    parser.add_argument("--file", nargs="*", default=[], help="these of the room alone")
    parser.add_argument("--limit", type=int, default=600, help="seconds that the tests may take")
    parser.add_argument("--list", action="store_true", help="draw, and plant nothing")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("mutate: told to end"))

    targets, expression = rooms[options.room]
    paths = sorted((root / options.room).rglob("*.cpp"))
    paths = [path for path in paths if path.name not in files_left_alone
             and (not options.file or path.name in options.file)]
    faults = [found for path in paths for found in faults_of(path)]
    random.Random(options.seed).shuffle(faults)
    print(f"mutate: {options.room}, seed {options.seed}: {len(faults)} faults in {len(paths)} files", flush=True)
    if not options.list:
        if not is_built(options.build, targets) or killers(options.build, expression, options.limit):
            sys.exit(f"mutate: {options.room} does not pass as it is")

    counts = {"killed": 0, "survived": 0}
    for found in faults:
        if sum(counts.values()) == options.count:
            break
        place = f"{found.path.relative_to(root)}:{found.line + 1}"
        if options.list:
            counts["survived"] += 1
            print(f"{place}\n  - {found.old.strip()}\n  + {found.new.strip()}")
            continue
        with planted(found):
            if not is_built(options.build, targets):
                continue
            killer = killers(options.build, expression, options.limit)
        verdict = "killed" if killer else "survived"
        counts[verdict] += 1
        print(f"{verdict:8} {place}" + (f" by {killer}" if killer else ""))
        print(f"  - {found.old.strip()}\n  + {found.new.strip()}", flush=True)
    if not options.list:
        is_built(options.build, targets)
        print(f"summary: mutation.{options.room}: seed {options.seed}, {counts['killed']} killed, "
              f"{counts['survived']} survived")
    return 0


if __name__ == "__main__":
    sys.exit(main())
