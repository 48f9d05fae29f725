# Proves that each rule of rules.py complains about a file that breaks it, and about no other.
# SPDX-License-Identifier: Apache-2.0
#
# A pair in `good` is a path and a text that breaks no rule; one in `bad` also has a word of the complaint.
import pathlib
import sys

import conformance
import names
import rules

opening = "// Says what it is.\n// SPDX-License-Identifier: Apache-2.0\n"
header = opening + "#pragma once\n"

good = [
    ("kernels/spio/a.h", header + '#include "spio/b.h"\n#include <boost/mp11/detail/mp_list.hpp>\n'),
    ("kernels/spio/a.h", header + "// std::size_t is only mentioned here\n"),
    ("kernels/spio/tile/mma.h", header + '#include "spio/tensor.h"\n__device__ int x;\n'),
    ("kernels/spio/tile/mma.h", header + '#include "machine/mma.h"\n'),
    ("kernels/machine/mma.h", header + '#include "machine/thread.h"\n__device__ int x;\n'),
    ("kernels/conv2d/a.cuh", header + '#include "conv2d/problem.h"\n#include "spio/dims.h"\n#pragma unroll\n'),
    ("modules/launch/launch.cppm", opening + "export module spio.launch;\nimport spio.image;\n"),
    ("modules/dims.cppm", opening + "export module spio.dims;\nexport import :algebra;\n"),
    ("modules/cache/key.cppm", opening + "export module spio.cache:key;\nimport :sha256;\n"),
    ("modules/jit/jit.cppm", opening + "export module spio.jit;\nimport spio.cache;\n"),
    ("modules/cuda/abi.cppm", opening + "module;\n#include <cstddef>\nmodule spio.cuda:abi;\n"),
    ("command/list.cpp", opening + "module;\n#include <string>\nmodule spio.command;\nimport spio.jit;\n"),
    ("command/line.cppm", opening + "export module spio.command_line:line;\nimport spio.cuda;\n"),
    ("command/json.cpp", opening + "module;\n#include <nlohmann/json.hpp>\nmodule spio.command;\n"),
    ("tests/cuda/abi.cpp", opening + "#include <cuda.h>\n"),
    ("tests/fail/a.cpp", "// clang: no axis\n// SPDX-License-Identifier: Apache-2.0\n"),
]

bad = [
    ("kernels/spio/a.h", header + "#include <type_traits>\n", "point left"),
    ("kernels/spio/a.h", header + '#include "conv2d/problem.h"\n', "point left"),
    ("kernels/spio/a.h", header + '#include "spio/tile/mma.h"\n', "point left"),
    ("kernels/conv2d/a.cuh", header + '#include "matmul/problem.h"\n', "point left"),
    ("kernels/spio/a.h", header + '#include "machine/mma.h"\n', "point left"),
    ("kernels/a.h", header, "beside the folders"),
    ("modules/spec/a.cpp", opening + "module spio.image;\n", "folder has the module's name"),
    ("sim/a.h", header + '#include "spio/dims.h"\n', "no kernel"),
    ("sim/machine/nothing.h", header, "name of what it stands for"),
    ("kernels/machine/mma.h", header + '#include "spio/a.h"\n', "point left"),
    ("kernels/spio/a.h", header + "std::size_t n;\n", "no std"),
    ("kernels/spio/a.h", header + "import spio.dims;\n", "does not import"),
    ("kernels/spio/a.h", header + "#define A 1\n", "no macros"),
    ("kernels/spio/a.h", header + "#if 1\n#endif\n", "no macros"),
    ("kernels/spio/a.h", header + "namespace {\n}\n", "unnamed"),
    ("kernels/spio/a.h", header + "static int x;\n", "no static"),
    ("kernels/spio/a.h", header + "__device__ int f();\n", "constexpr is enough"),
    ("kernels/spio/a.h", opening + "int x;\n", "#pragma once"),
    ("kernels/spio/a.h", header + "template <Dim auto X> int f();\n", "clang 19"),
    ("modules/spec/spec.cppm", opening + "export module spio.spec;\nimport spio.image;\n", "may not import"),
    ("modules/aot/aot.cppm", opening + "export module spio.aot;\nimport spio.jit;\n", "may not import"),
    ("modules/aot/aot.cppm", opening + "export module spio.aot;\nimport spio.cache;\n", "may not import"),
    ("modules/other.cppm", opening + "export module other;\n", "not a module"),
    ("modules/dims.cppm", opening + "export module spio.spec;\n", "module's name"),
    ("modules/launch/launch.cpp", opening + "module;\n#include <cuda.h>\nmodule spio.launch;\n", "only"),
    ("modules/cuda/abi.cppm", opening + "module;\n#include <cuda.h>\nmodule spio.cuda:abi;\n", "only"),
    ("jit/cache.cpp", opening + "#include <nvrtc.h>\n", "only"),
    ("jit/cache.cpp", opening + '#include "aot/pack.h"\n', "does not know"),
    ("command/list.cpp", opening + '#include "sim/launch.h"\n', "imports what it needs"),
    ("command/list.cpp", opening + "module;\n#include <CLI/CLI.hpp>\nmodule spio.command;\n", "only"),
    ("command/line.cpp", opening + "module spio.command_line;\nimport spio.jit;\n", "without knowing"),
    ("modules/spec/spec.cpp", opening + "module spio.spec;\nimport spio.command;\n", "on the command"),
    ("tests/dims/a.cpp", "int x;\n", "one sentence"),
    ("tests/dims/a.cpp", "// Says what it is.\nint x;\n", "SPDX"),
    ("tests/dims/a.cpp", opening + "// TODO: think\n", "without an issue"),
    ("tests/dims/a.cpp", opening + "int x;\n" * 300, "300 lines"),
    ("tests/dims/util.cpp", opening, "noun"),
    ("sim/a.h", header + "int of;\n", "a name should be a noun: of"),
    ("tests/dims/a.cpp", opening + "void f(int given);\n", "a name should be a noun: given"),
    ("bench/a.py", opening.replace("//", "#") + "def f(given):\n    pass\n", "a name should be a noun: given"),
    ("a/b/c/d/e.cpp", opening, "folder levels"),
]


# Declarations of names that are no nouns, and other uses of the same words.
riddles = [
    ("int of;", ["of"]),
    ("int f(int at, config const& by);", ["at", "by"]),
    ("int f(int count, T&& to) {}", ["to"]),
    ("template <auto by, int... of> int f();", ["by", "of"]),
    ("auto const& [value, is] = f();", ["is"]),
    ("auto f = [x, &given = y, on = 3](int) {};", ["given", "on"]),
    ("for (int first = f(1, 2), after = 3; first < after; ++first) {}", ["after"]),
    ("struct s { int count = 0, whole; };", ["whole"]),
    ("config const by(3);", ["by"]),
    ("unsigned char before[4];", ["before"]),
    ("auto const &one = f(), &two = g(), &given = h();", ["given", "one"]),
    ("int f() { buffer<T> made(3); return made(4); }", ["made"]),
    ("struct s { buffer<T> made(int); void f() { if (x) return made(1); } };", []),
    ("for (auto const& each : all_of_them) {}", []),
    ("auto each = f();", ["each"]),
    ("std::vector<int> kept{1};", ["kept"]),
    ("x = a & by; y = a * by; if (a > by) return at;", []),
    ("container.at(3); int at(int index); T of(int);", []),
    ("// int of;\n/* int at; */ char const* s = \"int by;\"; auto r = R\"(int on;)\"; char c = ';';", []),
    ("auto value = config{.of = 3, .by = 4};", []),
    ("long n = 1'000'000; int given;", ["given"]),
    ("f(a, by); g(of = 3); enum class e { of, at };", []),
]
python_riddles = [
    ("def f(by, count, *of): pass", ["by", "of"]),
    ("self.which = given = 3", ["given", "which"]),
    ("for each in items: what = each", ["what"]),
    ("f = lambda at: [one for one in at if one]", ["at"]),
    ("with open(path) as kept: kept.read()", ["kept"]),
    ("x.by(of=at) if by else here", []),
]


def said(path, text):
    """What rules.py complains of in a file of this path and text."""
    rules.complaints.clear()
    rules.check(pathlib.PurePath(path), text)
    return list(rules.complaints)


wrong = [f"{path}: {said(path, text)}" for path, text in good if said(path, text)]
wrong += [
    f"{path}: expected '{word}', got {said(path, text)}\n{text}"
    for path, text, word in bad
    if not any(word in line for line in said(path, text))
]
for text, words in riddles + python_riddles:
    finder = names.forbidden_python_names if (text, words) in python_riddles else names.forbidden_names
    found = sorted(name for _, name in finder(text))
    if found != sorted(words):
        wrong.append(f"expected the names {words}, got {found}: {text}")

rules.complaints.clear()
rules.interface_unit_budget = 1
rules.check_interface_units({pathlib.PurePath(f"modules/{name}.cppm"): "export module a;" for name in "ab"})
if not any("interface units" in line for line in rules.complaints):
    wrong.append("interface units beyond the budget pass")

# A header may come through another of the project, beside the file or in a folder of headers.
for text, missing in [
    ("std::vector<int> x;", ["vector"]),
    ("#include <vector>\nstd::vector<int> x;", []),
    ('#include "b.h"\nstd::vector<int> x;\nstd::span<int> y;', ["span"]),
    ('#include "trial.h"\nstd::string x = std::to_string(1);', []),
    ("#include <thread>\nstd::chrono::seconds x;\nstd::thread y;\nstd::nobody z;", []),
]:
    texts = {"modules/a.cpp": text, "modules/b.h": "#include <vector>", "tests/kernels/trial.h": "#include <string>"}
    texts = {pathlib.Path(path): code for path, code in texts.items()}
    found = [header for _, _, header in rules.includes.missing_includes(pathlib.Path("modules/a.cpp"), texts)]
    if found != missing:
        wrong.append(f"expected missing headers {missing}, got {found}: {text}")

# A row of the conformance list counts only where code behind its comment asserts something.
for text, is_tested in [
    ("// A.b: a comment alone\nint x;\n", False),
    ("// A.b: and an assertion\nstatic_assert(1);\n", True),
    ("// A.b\nint x;\n\n// A.c: of the next comment\nstatic_assert(1);\n", False),
]:
    if ("A.b" in conformance.rows_named_in(text)) != is_tested:
        wrong.append(f"the row A.b is {'not ' if is_tested else ''}tested: {text}")

print(*wrong, sep="\n")
print(f"summary: house.rules.self: {len(good)} files obey, {len(bad)} files break a rule, "
      f"{len(riddles)} pieces of code name something")
sys.exit(bool(wrong))
