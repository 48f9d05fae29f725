# Prints the folder of PyTorch, if it is new enough, without importing it.
# SPDX-License-Identifier: Apache-2.0
#
# CMake asks it for PyTorch's headers and libraries, which the operators are built with.
import importlib.metadata
import importlib.util
import re
import sys

oldest = (2, 10)  # whose stable interface the operators are compiled for: TORCH_TARGET_VERSION in CMakeLists.txt


# Prints the folder and returns 0, or returns the reason why there is none, which becomes a failing exit
# status.
def main():
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return "there is no PyTorch"
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    if numbers < oldest:
        return f"PyTorch is {version}, older than 2.10"
    print(importlib.util.find_spec("torch").submodule_search_locations[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
