# Runs one compiler over many files, some at a time; says which pass, and how many.
# SPDX-License-Identifier: Apache-2.0
"""each_file.py --name NAME [--include-dims DIR] [--suffix .cu] FILE... -- COMMAND...

{file} in COMMAND stands for the file. With --include-dims, a copy made in DIR is compiled
instead, in which `import spio.dims;` has become `#include "spio/algebra.h"`: one text for the
compilers that import and for those that cannot.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def including_copy(file, folder, suffix):
    """A copy of the file in the folder, in which the import has become an #include."""
    text = file.read_text()
    if text.count("import spio.dims;") != 1:
        sys.exit(f"{file}: expected one line `import spio.dims;`")
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / (file.stem + suffix)
    # #line keeps the file's own name and numbers in what the compiler says.
    copy.write_text(f'#line 1 "{file}"\n' + text.replace("import spio.dims;", '#include "spio/algebra.h"'))
    return copy


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--include-dims", type=pathlib.Path)
    parser.add_argument("--suffix", default=".cpp")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args(sys.argv[1:split])
    command = sys.argv[split + 1 :]

    def compile_one(file):
        """Runs the command on a file; returns the file, the words of the command, and how it ended."""
        source = file
        if options.include_dims:
            source = including_copy(file, options.include_dims, options.suffix)
        words = [word.replace("{file}", str(source)) for word in command]
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return file, words, result

    passed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, words, result in pool.map(compile_one, options.files):
            good = result.returncode == 0
            passed += good
            print("pass" if good else "FAIL", file.name)
            if not good:
                print(" ".join(words), result.stdout, sep="\n")
    print(f"summary: {options.name}: {passed} of {len(options.files)} files compile")
    return passed != len(options.files)


sys.exit(main())
