# Compiles a use of each header of the algebra with that header alone.
# SPDX-License-Identifier: Apache-2.0
"""check.py --headers FOLDER --work FOLDER USES -- COMMAND...

USES has lines of C++ for each header. {file} in COMMAND stands for the file to compile. A header in
the folder without a use, and a use of no header, are errors.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

DIMENSIONS = "".join(f"struct {name} : spio::dim {{\n    using dim::dim;\n}};\n" for name in "IJK")


def includes_dimensions(folder, name):
    """Whether a header is or includes, through others, the one of dimensions."""
    if name == "dim.h":
        return True
    included = re.findall(r'^#include "spio/(\w+\.h)"', (folder / name).read_text(), re.M)
    return any(includes_dimensions(folder, other) for other in included)


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--headers", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("uses", type=pathlib.Path)
    options = parser.parse_args(sys.argv[1:split])
    command = sys.argv[split + 1 :]

    texts = re.split(r"^-- (\w+\.h)\n", options.uses.read_text(), flags=re.M)[1:]
    uses = dict(zip(texts[::2], texts[1::2]))
    different = {file.name for file in options.headers.glob("*.h")} ^ set(uses)
    if different:
        sys.exit(f"{options.uses}: a header or its use is missing: {', '.join(sorted(different))}")
    options.work.mkdir(parents=True, exist_ok=True)

    def compile_use(name):
        file = options.work / f"{name.removesuffix('.h')}.cpp"
        dimensions = DIMENSIONS if includes_dimensions(options.headers, name) else ""
        file.write_text(f'#include "spio/{name}"\n{dimensions}{uses[name]}')
        words = [word.replace("{file}", str(file)) for word in command]
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, result in zip(uses, pool.map(compile_use, uses)):
            if result.returncode != 0:
                failed += 1
                print("FAIL", name, result.stdout, sep="\n")
    print(f"summary: headers: {len(uses) - failed} of {len(uses)} may be included alone and used")
    return failed != 0


sys.exit(main())
