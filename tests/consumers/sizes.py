# Measures what is installed, and how large a program that ships kernels is, and what it needs.
# SPDX-License-Identifier: Apache-2.0
#
# Its arguments are the folder of an installed library and the build folder of the program deploy, which uses
# it.
import pathlib
import re
import subprocess
import sys


def said_by(*words):
    """What a command prints, which must succeed."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def needed_by(program):
    """The shared libraries that a program needs."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", said_by("readelf", "-d", program))


def main():
    prefix, build = map(pathlib.Path, sys.argv[1:])
    archives = sorted(prefix.glob("lib*/libspio_*.a"))
    total = sum(path.stat().st_size for path in archives)
    headers = sum(path.stat().st_size for path in (prefix / "include").rglob("*") if path.is_file())
    print(f"summary: package.installed: {total} bytes in {len(archives)} libraries, "
          f"{headers} bytes of headers and kernels")

    deploy = build / "Release" / "deploy"
    stripped = build / "deploy.stripped"
    said_by("strip", "-o", stripped, deploy)
    sections = dict(re.findall(r"^(\.\w+)\s+(\d+)", said_by("size", "-A", stripped), re.M))
    pack = (build / "deploy.spiopack").stat().st_size
    needed = needed_by(deploy)
    print(f"summary: package.deploy: {stripped.stat().st_size} bytes stripped, {sections['.text']} of "
          f"them code, {pack} a pack of its own; needs {' '.join(sorted(needed))}")

    allowed = re.compile(r"(libstdc\+\+|libm|libgcc_s|libc|libpthread|libdl|ld-linux-x86-64)\.so.*")
    foreign = [name for name in needed if not allowed.fullmatch(name)]
    if foreign:
        sys.exit(f"deploy needs {foreign}")
    # It launches, and has nothing that compiles.
    if b"nvrtcCompileProgram" in deploy.read_bytes() or b"cuLaunchKernelEx" not in deploy.read_bytes():
        sys.exit("deploy has a compiler in it, or no launch")


main()
