# Packs an installed Spio as `./bootstrap package` does, and uses the tarball and the wheel.
# SPDX-License-Identifier: Apache-2.0
"""archives.py ARCHIVE_PY PREFIX FOLDER [--command]

Both archives must hold exactly the files of PREFIX, with their modes, and be the same bytes when
packed again. Compressing the sanitized libraries takes a minute, so unless --command is given they
are left out and another small program stands in for the command; with --command the unpacked one
and the one that pip installed must run a kernel on the host. Run by root, the installed command does so
in a root folder that has nothing but the libraries that it is linked with. Built on a Debian 12, it asks for
none newer than those of Ubuntu 22.04."""
import base64
import csv
import hashlib
import io
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

version = "1.2.3"


def run(*words):
    """Runs a command that must succeed."""
    result = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{result.stdout}")


def expect(holds, claim):
    """Ends the test unless the claim, said in words, holds."""
    if not holds:
        sys.exit(f"not so: {claim}")


def contents(folder):
    """Of every file below a folder: its name there, its bytes, and whether it can be executed."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o100)) for path in files}


def test_tarball(path, expected, folder):
    """Unpacks the tarball in the folder, and returns the command in it."""
    with tarfile.open(path) as archive:
        for entry in archive:
            expect(entry.isfile(), f"{entry.name} is a plain file")
            expect(entry.name.startswith(f"spio-{version}-linux-x86_64/"), f"{entry.name} lies in the one folder")
            expect((entry.uid, entry.gid, entry.mtime) == (0, 0, 0), f"{entry.name} names no user and no time")
        archive.extractall(folder)
    unpacked = folder / f"spio-{version}-linux-x86_64"
    expect(contents(unpacked) == expected, "the tarball holds the files of the prefix")
    return unpacked / "bin" / "spio"


def test_wheel(path, expected, folder):
    """Installs the wheel in an environment in the folder, and returns the command in it."""
    with zipfile.ZipFile(path) as wheel:
        rows = csv.reader(io.StringIO(wheel.read(f"spio_command-{version}.dist-info/RECORD").decode()))
        records = {name: (digest, size) for name, digest, size in rows}
        expect(set(records) == set(wheel.namelist()), "RECORD lists all files of the wheel and no other")
        for name, (digest, size) in records.items():
            if name.endswith("/RECORD"):
                continue
            content = wheel.read(name)
            sha256 = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            expect((digest, size) == (f"sha256={sha256}", str(len(content))), f"RECORD knows {name}")
    environment = folder / "environment"
    run(sys.executable, "-m", "venv", environment)
    run(environment / "bin" / "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", path)
    installed = contents(environment)
    expect(all(installed.get(name) == file for name, file in expected.items()), "pip installs the files of the prefix")
    return environment / "bin" / "spio"


def libraries(program):
    """The names of the shared objects that a program is linked with, and its newest versions of glibc and libstdc++."""
    said = subprocess.run(["objdump", "-p", program], capture_output=True, text=True, check=True).stdout
    newest = [max(tuple(map(int, version.split("."))) for version in re.findall(rf"\b{name}_([0-9.]+)", said))
              for name in ("GLIBC", "GLIBCXX")]
    return set(re.findall(r"NEEDED\s+(\S+)", said)), newest


def test_libraries(program):
    """The command asks for what every system has."""
    needed, (glibc, libstdcxx) = libraries(program)
    sanitizer = {"libresolv.so.2"}
    expect(needed <= sanitizer | {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"}, f"no other libraries: {needed}")
    if tuple(map(int, platform.libc_ver()[1].split("."))) <= (2, 36):
        expect(glibc <= (2, 35) and libstdcxx <= (3, 4, 30), f"Ubuntu 22.04 has glibc {glibc} and libstdc++ {libstdcxx}")


def test_bare(program, folder):
    """Runs the command where there is nothing else: in a root of its own, with the libraries that it is linked with."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        return
    (folder / "proc").mkdir(parents=True)
    shutil.copy(program, folder / "spio")
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"(/\S+) \(0x", listed):
        copied = folder / library.lstrip("/")
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, copied)
    run("unshare", "-m", "sh", "-c", 'mount --bind /proc "$0/proc" && exec chroot "$0" /spio run axpby n=1000 --check', folder)


def main():
    archive, installed, folder = map(pathlib.Path, sys.argv[1:4])
    with_command = "--command" in sys.argv[4:]
    shutil.rmtree(folder, ignore_errors=True)
    prefix = folder / "prefix"
    shutil.copytree(installed, prefix)
    test_libraries(prefix / "bin" / "spio")
    test_bare(prefix / "bin" / "spio", folder / "bare")
    if not with_command:
        shutil.rmtree(prefix / "bin")
        for library in prefix.rglob("*.a"):
            library.unlink()
        (prefix / "bin").mkdir()
        shutil.copy(shutil.which("true"), prefix / "bin" / "spio")
    expected = contents(prefix)
    expect("bin/spio" in expected and len(expected) > 100, "the prefix holds the command and the library")

    for name in ("first", "second"):
        run(sys.executable, archive, prefix, version, folder / name)
    packed = sorted((folder / "first").iterdir())
    expect([path.suffix for path in packed] == [".gz", ".whl"], "there are a tarball and a wheel")
    for path in packed:
        expect(path.read_bytes() == (folder / "second" / path.name).read_bytes(), f"{path.name} is the same when packed again")

    tarball, wheel = packed
    for program in (test_tarball(tarball, expected, folder / "unpacked"), test_wheel(wheel, expected, folder)):
        run("env", "-i", f"HOME={folder}", program, *(["list"] if with_command else []))
        if with_command:
            run("env", "-i", f"HOME={folder}", "PATH=/usr/bin:/bin", program, "run", "axpby", "n=1000", "--check", "--device", "host")

    (prefix / "bin" / "spio").unlink()
    refused = subprocess.run([sys.executable, archive, prefix, version, folder / "third"], capture_output=True, text=True)
    expect(refused.returncode != 0 and "has no bin/spio" in refused.stderr, "a prefix without the command is refused")


main()
