# Finds lines of an installed package that name the source or build folder, which other machines do not have.
# SPDX-License-Identifier: Apache-2.0
"""relocatable.py INSTALLED FOLDER...     where INSTALLED has the files that find_package(spio) reads"""
import pathlib
import sys


def main():
    installed, *folders = sys.argv[1:]
    files = sorted(pathlib.Path(installed).rglob("*.cmake"))
    if not any(file.name == "spio-targets.cmake" for file in files):
        sys.exit(f"{installed} has no spio-targets.cmake")
    found = [f"{file}:{number}: {line.strip()[:200]}" for file in files
             for number, line in enumerate(file.read_text().splitlines(), 1)
             if any(folder in line for folder in folders)]
    if found:
        sys.exit("\n".join([f"{len(found)} lines name a folder of the build:", *found[:10]]))
    print(f"{len(files)} files name none of {', '.join(folders)}")


if __name__ == "__main__":
    main()
