# Packs an installed Spio into a tarball and a wheel.
# SPDX-License-Identifier: Apache-2.0
"""python3 cmake/archive.py PREFIX VERSION FOLDER

Writes FOLDER/spio-VERSION-linux-x86_64.tar.gz, which is the whole prefix, and a wheel spio_command,
which installs the same into the environment of pip: `spio` among its programs, and what
find_package(spio) reads below sys.prefix. The same prefix gives the same bytes.

The wheel's tag says the oldest glibc that all programs run with: the newest version of a symbol
that they ask for, as `objdump -T` lists them.
"""
import base64
import gzip
import hashlib
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile

summary = "The command spio, its host device, and the library for C++"


def files_below(prefix):
    """The files below a folder, in the order of their names."""
    return sorted(path for path in prefix.rglob("*") if path.is_file() and not path.is_symlink())


def mode_of(path):
    """The permissions in an archive, the same whatever those of the user who builds it."""
    return 0o755 if path.stat().st_mode & 0o100 else 0o644


def oldest_glibc(prefix):
    """The version (2, n) of the C library that the programs need at least."""
    versions = [(2, 17)]  # manylinux2014; wheels for older ones are out of use
    for program in sorted((prefix / "bin").iterdir()):
        table = subprocess.run(["objdump", "-T", program], capture_output=True, text=True, check=True)
        found = re.findall(r"\bGLIBC_(\d+)\.(\d+)", table.stdout)
        versions += [tuple(map(int, version)) for version in found]
    return max(versions)


def write_tarball(prefix, version, folder):
    """Writes what is installed below the prefix as a tarball; returns its path."""
    name = f"spio-{version}-linux-x86_64"
    path = folder / f"{name}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for file in files_below(prefix):
                entry = tarfile.TarInfo(f"{name}/{file.relative_to(prefix).as_posix()}")
                entry.size = file.stat().st_size
                entry.mode = mode_of(file)
                with open(file, "rb") as content:
                    archive.addfile(entry, content)
    return path


def write_wheel(prefix, version, folder):
    """Writes the same as a wheel, so that pip installs the command; returns its path."""
    tag = "py3-none-manylinux_{}_{}_x86_64".format(*oldest_glibc(prefix))
    path = folder / f"spio_command-{version}-{tag}.whl"
    data, info = f"spio_command-{version}.data", f"spio_command-{version}.dist-info"
    records = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:

        def add(name, content, mode=0o644):
            """Adds a file, and its line in RECORD."""
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100000 | mode) << 16  # a regular file
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(content)}")

        for file in files_below(prefix):
            inner = file.relative_to(prefix)
            part = f"scripts/{inner.name}" if inner.parts[0] == "bin" else f"data/{inner.as_posix()}"
            add(f"{data}/{part}", file.read_bytes(), mode_of(file))
        add(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: spio-command\nVersion: {version}\n"
            f"Summary: {summary}\nLicense: Apache-2.0\n".encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: spio\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        records.append(f"{info}/RECORD,,")
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD"), "\n".join(records) + "\n")
    return path


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    prefix, version, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    if not (prefix / "bin" / "spio").is_file():
        sys.exit(f"{prefix} has no bin/spio: the command is built where its libraries are found")
    folder.mkdir(parents=True, exist_ok=True)
    for write in (write_tarball, write_wheel):
        path = write(prefix, version, folder)
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
