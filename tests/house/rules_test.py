# Proves that each rule of the house complains about a file that breaks it, and about no other.
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

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
    ("command/line.cpp", opening + "module spio.command_line;\nimport spio.jit;\n", "without knowing"),
    ("modules/spec/spec.cpp", opening + "module spio.spec;\nimport spio.command;\n", "on the command"),
    ("tests/dims/a.cpp", "int x;\n", "one sentence"),
    ("tests/dims/a.cpp", "// Says what it is.\nint x;\n", "SPDX"),
    ("tests/dims/a.cpp", opening + "// TODO: think\n", "without an issue"),
    ("tests/dims/a.cpp", opening + "int x;\n" * 300, "300 lines"),
    ("tests/dims/util.cpp", opening, "noun"),
    ("a/b/c/d/e.cpp", opening, "folder levels"),
]


def said(path, text):
    rules.complaints.clear()
    rules.check(pathlib.PurePath(path), text)
    return list(rules.complaints)


wrong = [f"{path}: {said(path, text)}" for path, text in good if said(path, text)]
wrong += [
    f"{path}: expected '{word}', got {said(path, text)}\n{text}"
    for path, text, word in bad
    if not any(word in line for line in said(path, text))
]
print(*wrong, sep="\n")
print(f"figure: house.rules.self: {len(good)} files obey, {len(bad)} files break a rule")
sys.exit(bool(wrong))
