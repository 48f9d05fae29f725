# Checks which files may include and import which, and the other rules of the source that a script can see.
# SPDX-License-Identifier: Apache-2.0
#
# A room is a folder at the root, or one of kernels/. A family is the kernels of one operation, as conv2d.
# Device text is C++ that every compiler of kernels reads. A door is the one file of a folder that may include a
# header from outside. `code` is a file's text without comments, `path` its path from the root.
import functools
import pathlib
import re
import sys

import includes
import names
from sources import is_cxx, root, sources

# What device text takes from outside: each header costs every kernel compiled at run time.
mp11 = {"boost/mp11/detail/mp_list.hpp"}

# Plain values that the machine, the host device and the driver layer share with all others.
launch_values = "spio/launch_values.h"

# Each folder of kernels/ but the two that all kernels share is a family of that name.
families = {"spio." + path.name for path in (root / "kernels").iterdir()} - {"spio.machine", "spio.spio"}

# The modules that each module may import, those that it reaches through others included.
imports = {
    "spio.dims": set(),
    "spio.standard": {"spio.dims"},
    "spio.error": set(),
    "spio.spec": set(),
    **{family: {"spio.dims", "spio.model", "spio.spec"} for family in families},
    "spio.families": {"spio.spec", *families},
    "spio.image": {"spio.spec"},
    "spio.host": {"spio.image", "spio.spec", "spio.system", "spio.text"},
    "spio.text": {"spio.spec", "spio.system"},
    "spio.system": {"spio.error"},
    "spio.aot": {"spio.image", "spio.spec", "spio.system", "spio.text"},
    "spio.cache": {"spio.error", "spio.system"},
    "spio.jit": {"spio.cache", "spio.image", "spio.spec", "spio.system", "spio.text"},
    "spio.model": set(),
    "spio.cuda": set(),
    "spio.cuda_python": {"spio.spec"},
    "spio.launch": {"spio.image", "spio.cuda", "spio.spec", "spio.system"},
    **{f"{family}.launch": {family, "spio.image", "spio.launch", "spio.spec"} for family in families},
    "spio.tuned": {"spio.cache", "spio.model", "spio.spec", "spio.system", "spio.text"},
    "spio.runtime": {"spio.aot", "spio.cache", "spio.cuda", "spio.image", "spio.jit", "spio.launch",
                     "spio.spec", "spio.system", "spio.tuned"},
}
for module in set(imports) - {"spio.error", "spio.dims", "spio.standard"}:
    imports[module] = imports[module] | {"spio.error"}
imports["spio"] = set(imports)

# Headers from outside, and the few files that may include them, one in each folder. CUDA's are not needed to build Spio: the
# test that compares our declarations with theirs sees them, and no one else.
doors = {
    "nvrtc.h": r"tests/jit/abi\.cpp",
    "cuda.h": r"tests/cuda/abi\.cpp",
    "xgboost/c_api.h": r"[^/]+/[^/]+\.cpp",
    "CLI/CLI.hpp": r"command/arguments\.cpp",
    "nlohmann/json.hpp": r"command/json\.cpp|bench/conv2d/export\.cpp",
}

# Folders that turn kernels into something that runs: none may use another.
makers = {"aot", "jit", "sim"}

# How many interface units the library and the command may have: every consumer compiles those of the
# library again. (spio.standard is compiled by those alone who link it.)
interface_unit_budget = 45

complaints = []


@functools.cache
def without_comments(text):
    """The text with comments blanked, its lines kept."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    keep = lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0])
    return re.sub(pattern, keep, text, flags=re.S)


def complain(path, text, position, sentence):
    """Notes that the text breaks a rule at this position."""
    complaints.append(f"{path}:{text.count(chr(10), 0, position) + 1}: {sentence}")


def forbid(path, text, pattern, sentence):
    """Complains of each match of the pattern."""
    for match in re.finditer(pattern, text, flags=re.M):
        complain(path, text, match.start(), f"{sentence}: {match[0].strip()}")


def includes_of(text):
    """The position and the name of each header that a text includes."""
    return [(m.start(), m[1]) for m in re.finditer(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.M)]


def check_opening(path, text):
    """A file begins with one sentence and its licence."""
    mark = "//" if is_cxx(path) else "#"
    lines = [line for line in text.splitlines()[:15] if not line.startswith("#!")]
    licence = f"{mark} SPDX-License-Identifier: Apache-2.0"
    if path.parts[:2] == ("tests", "fail") and is_cxx(path):
        # These begin with the error that they must cause.
        if not lines or not lines[0].startswith(mark) or licence not in lines:
            complain(path, text, 0, f"begin with the error that it must cause, and have the line `{licence}`")
        return
    # The sentence may need more lines, if a colon says so.
    if not lines or not re.match(rf"{mark} \S+ .*[.:]$", lines[0]):
        complain(path, text, 0, "the first line should be a comment of one sentence")
    comments = []
    for line in lines:
        if not line.startswith(mark):
            break
        comments.append(line)
    if licence not in (comments if lines and lines[0].endswith(":") else comments[1:2]):
        complain(path, text, 0, f"the second line should be `{licence}`")


def check_everywhere(path, text):
    """The rules of all files."""
    check_opening(path, text)
    if text.count("\n") > 300:
        complain(path, text, 0, "more than 300 lines: split it")
    if path.parts[:2] != ("tests", "house"):
        forbid(path, text, r"\b(TODO|FIXME|XXX)\b(?!.*#\d)", "a task without an issue")
    forbid(path, text, r"[ \t]+$", "space at the end of a line")
    if len(path.parts) > 4:
        complain(path, text, 0, "more than three folder levels")
    if path.stem in {"util", "utils", "common", "helpers", "impl", "detail"}:
        complain(path, text, 0, "a file is named after its noun")


def check_names(path, text):
    """Variables are named by nouns."""
    finder = names.forbidden_names if is_cxx(path) else names.forbidden_python_names
    for line, name in finder(text):
        complaints.append(f"{path}:{line}: a name should be a noun: {name}")


def check_doors(path, code):
    """Headers from outside have one door: the file that may include them."""
    for position, header in includes_of(code):
        door = doors.get(header)
        if door and not re.fullmatch(door, path.as_posix()):
            complain(path, code, position, f"only {door} may include {header}")
        seen = header.split("/")[0]
        if path.parts[0] in makers and seen in makers - {path.parts[0]}:
            complain(path, code, position, f"{path.parts[0]}/ does not know {seen}/")
    if path.parts[0] in makers - {"sim"}:
        others = "|".join(makers - {path.parts[0]})
        forbid(path, code, rf"^\s*import\s+spio\.({others})\b", "none of aot, jit, sim knows another")


# What each folder of kernels/ may include of the others: arrows point to what may be included.
#     machine  <-  tile  ->  algebra;  a family sees all but the machine
def may_include(room, family, header):
    if header in mp11:
        return room != "machine"
    if header == launch_values:
        return True
    if header.startswith("machine/"):
        return room in {"machine", "tile"}
    if header.startswith("spio/tile/"):
        return room in {"tile", "family"}
    if header.startswith("spio/"):
        return room != "machine"
    return room == "family" and family == pathlib.PurePath(header).parts[0]


def check_kernels(path, code):
    """The rules of kernels/, whose rooms are the machine, the algebra, its tiles, and the families."""
    folders = path.parts[1:-1]
    room = {("machine",): "machine", ("spio",): "algebra",
            ("spio", "tile"): "tile"}.get(folders, "family" if len(folders) == 1 else "unknown")
    if room == "unknown":
        complain(path, code, 0, "nothing lies beside the folders of kernels/")
    family = folders[0] if folders else ""
    forbid(path, code, r"\b(std|cuda)\s*::", "device text has no std")
    forbid(path, code, r"^\s*(export\s+)?import\b", "device text does not import")
    unroll = r"|pragma\s+unroll" if path.suffix == ".cuh" else ""
    forbid(path, code, rf"^\s*#(?!\s*(include|pragma\s+once{unroll})\b).*", "no macros, no #if")
    forbid(path, code, r"^\s*(inline\s+)?namespace\s*\{", "an unnamed namespace cannot be exported")
    forbid(path, code, r"^static\s.*", "no static at namespace scope")
    if not re.match(r"\s*#pragma once\n", code):
        complain(path, code, 0, "begin with #pragma once")
    for position, header in includes_of(code):
        if not may_include(room, family, header):
            complain(path, code, position, f"includes point left only: {header}")
    if room == "algebra":
        forbid(path, code, r"\b(__device__|__host__|__global__|asm)\b", "constexpr is enough here")
    if room != "machine":
        forbid(path, code, r"\basm\b", "asm lives in kernels/machine")


def check_sim(path, code):
    """The rules of sim/, the host device, which simulates a GPU on the CPU."""
    forbid(path, code, r"^\s*(export\s+)?import\b", "a kernel includes this: it does not import")
    for position, header in includes_of(code):
        if header == launch_values:
            continue
        if header.startswith("spio/") or "spio." + header.split("/")[0] in families:
            complain(path, code, position, f"the host device knows the machine, no kernel: {header}")
    if path.parts[1] == "machine" and not (root / "kernels" / "machine" / path.name).exists():
        complain(path, code, 0, "a twin has the name of what it stands for in kernels/machine")


def check_module(path, code):
    """The rules of modules/: what a module may import, and what it is called."""
    name = re.search(r"^\s*(?:export\s+)?module\s+([\w.]+)(:\w+)?\s*;", code, re.M)
    if not name or name[1] not in imports:
        complain(path, code, 0, f"not a module of the house: {name and name[1]}")
        return
    if len(path.parts) == 3 and name[1].split(".")[1] != path.parts[1]:
        complain(path, code, name.start(), "a module's folder has the module's name")
    if path.suffix == ".cppm" and name[1].split(".")[-1] != path.stem and not name[2]:
        complain(path, code, name.start(), "a module's file has the module's name")
    for match in re.finditer(r"^\s*(?:export\s+)?import\s+([\w.]+)\s*;", code, re.M):
        if match[1] not in imports[name[1]]:
            complain(path, code, match.start(), f"{name[1]} may not import {match[1]}")


def check_command(path, code):
    """The rules of command/, the program `spio`."""
    for position, header in includes_of(code):
        if "/" in header and not header.startswith("sys/") and header not in doors:
            complain(path, code, position, f"the command imports what it needs: {header}")
    if re.search(r"^module spio\.command_line;|^export module spio\.command_line", code, re.M):
        pattern = r"^\s*import\s+spio\.(?!(?:cuda|system)\b)\w+\s*;"
        forbid(path, code, pattern, "lines are read without knowing what they ask for")


def check(path, text):
    """All rules of one file; each breach is a complaint."""
    check_everywhere(path, text)
    if is_cxx(path) or path.suffix == ".py":
        check_names(path, text)
    if not is_cxx(path):
        return
    code = without_comments(text)
    check_doors(path, code)
    room = path.parts[0]
    if room in {"kernels", "modules"}:
        forbid(path, code, r"template\s*<[^;{()]*?\b[A-Z]\w*\s+auto\b.*", "clang 19 rejects this")
    if room == "kernels":
        check_kernels(path, code)
    if room == "sim":
        check_sim(path, code)
    if room == "modules":
        check_module(path, code)
    if room == "command":
        check_command(path, code)
    elif room != "tests" and path.name != "trial.cpp":  # which a project adds to a command of its own
        forbid(path, code, r"^\s*import\s+spio\.command\w*\s*;", "nothing is built on the command")


def check_one_door_each(texts):
    """No folder has two doors to one header."""
    for header in doors:
        users = {
            path.with_suffix("")
            for path, text in texts.items()
            if is_cxx(path) and header in [name for _, name in includes_of(text)]
        }
        if len(users) > len({path.parts[0] for path in users}):
            complaints.append(f"{header} has more than one door: {sorted(map(str, users))}")


def check_includes(texts):
    """Files include the headers of the names of std that they use."""
    codes = {path: without_comments(text) for path, text in texts.items() if is_cxx(path)}
    for path in codes:
        for line, name, header in includes.missing_includes(path, codes):
            complaints.append(f"{path}:{line}: std::{name} without #include <{header}>")


def check_interface_units(texts):
    # A unit that exports nothing is compiled by its own module alone.
    units = [path for path, text in texts.items()
             if path.suffix == ".cppm" and path.parts[0] not in {"tests", "bench", "examples"} and
             re.search(r"^export module", text, re.M)]
    if len(units) > interface_unit_budget:
        complaints.append(f"{len(units)} interface units, and {interface_unit_budget} may be: join two of one nature")
    return len(units)


def main():
    texts = {path: (root / path).read_text() for path in sources()}
    for path, text in texts.items():
        check(path, text)
    check_one_door_each(texts)
    check_includes(texts)
    units = check_interface_units(texts)
    print(*complaints, sep="\n")
    print(f"summary: house.rules: {len(texts)} files, {len(complaints)} complaints, {units} interface units")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
