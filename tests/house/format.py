# Asks clang-format whether every C++ source is spaced as .clang-format says; --fix mends it.
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

from sources import is_cxx, root, sources

program, mode = sys.argv[1], ["-i"] if "--fix" in sys.argv else ["--dry-run", "--Werror"]
files = [str(path) for path in sources() if is_cxx(path)]
if subprocess.run([program, *mode, *files], cwd=root).returncode:
    sys.exit(f"to mend it: python3 tests/house/format.py {program} --fix")
print(f"summary: house.format: {len(files)} files")
