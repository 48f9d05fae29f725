# Finds the project's own source files, tracked or not.
# SPDX-License-Identifier: Apache-2.0
#
# The rules of the house are checked on these files.
import os
import pathlib

root = pathlib.Path(__file__).resolve().parents[2]
cxx = {".h", ".cuh", ".cu", ".cppm", ".cpp"}
hashed = {".py", ".cmake", ".sh"}


def sources():
    """Yields every source as a path relative to the root: C++, CMake, Python and shell."""
    for folder, folders, files in os.walk(root):
        # A build folder says so by its cache; every other hidden folder but .ci is a tool's.
        folders[:] = sorted(
            name
            for name in folders
            if name not in {"build", "__pycache__"}
            and (not name.startswith(".") or name == ".ci")
            and not (pathlib.Path(folder) / name / "CMakeCache.txt").exists()
        )
        for name in sorted(files):
            path = (pathlib.Path(folder) / name).relative_to(root)
            if is_cxx(path) or is_hashed(path):
                yield path


def is_cxx(path):
    """Whether a file is C++ or CUDA."""
    return path.suffix in cxx


def is_hashed(path):
    """Whether comments of the file begin with #."""
    return path.suffix in hashed or path.name in {"CMakeLists.txt", "bootstrap"} or path.parts[0] == ".ci"
