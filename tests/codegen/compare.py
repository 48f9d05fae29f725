# Compares each typed kernel with its raw twin, in PTX and then in machine code.
# SPDX-License-Identifier: Apache-2.0
"""compare.py --name NAME --out DIR --ptxas PTXAS CASE.cuh... -- COMMAND...

COMMAND compiles {file} to {ptx} for sm_{arch}; all cases go into one file. A case is a namespace
with two kernels, typed and raw. They must be equal in PTX, up to the names of registers, or in the
machine code that ptxas makes of it. Where neither holds, the case says what differs, and why:
    // differs: nvcc sm_80: +1 mov.u32: what for
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import struct
import subprocess
import sys

ARCHS = ("80", "90a")


def run(words):
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(map(str, words)) + "\n" + result.stdout)


def entries(ptx):
    """The body of each kernel, by its mangled name."""
    return dict(re.findall(r"^\.(?:visible )?\.entry (\w+)\((.*?)^}", ptx, re.M | re.S))


def instructions(body):
    """The lines of a kernel, with registers, labels and variables named by first appearance."""
    names = {}

    def renamed(match):
        kind = match[0].rstrip("0123456789") if match[0][0] == "%" else match[0][0]
        return names.setdefault(match[0], f"{kind}#{len(names)}")

    lines = []
    for line in body[body.index("{") :].splitlines():
        line = re.sub(r"//.*", "", line).strip()
        if line and not re.match(r"\.(reg|loc|pragma)\b|[{}]", line):
            line = re.sub(r"_Z\w*_param_", "param_", line)
            lines.append(re.sub(r"%[a-z]+\d+\b|\$L\w+|_ZZ\w+", renamed, " ".join(line.split())))
    return lines


def text_sections(cubin):
    """The machine code of each kernel: the .text sections of an ELF file."""
    table, = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + i * size) for i in range(count)]
    code = {}
    for name, _, _, _, offset, length in headers:
        start = headers[names][4] + name
        name = cubin[start : cubin.index(b"\0", start)].decode()
        if name.startswith(".text."):
            code[name[6:]] = cubin[offset : offset + length]
    return code


def opcodes(lines):
    return [re.sub(r"@!?\S+ ", "", line).split()[0].rstrip(";") for line in lines if line[-1] == ";"]


def counts(typed, raw):
    """How many more of each instruction the typed kernel has: +1 mov.u32 -2 and.b32."""
    more = collections.Counter(opcodes(typed))
    more.subtract(opcodes(raw))
    return " ".join(f"{n:+} {op}" for op, n in sorted(more.items()) if n) or "the order"


def compare(options, command, arch):
    """A line for each case: how its kernels compare, and whether that is as the case says."""
    source = options.out / f"cases_{arch}.cu"
    ptx_file = options.out / f"{options.name}_{arch}.ptx"
    includes = ["dimensions.h", *(case.name for case in options.cases)]
    source.write_text("".join(f'#include "{options.cases[0].parent}/{file}"\n' for file in includes))
    places = {"{file}": source, "{ptx}": ptx_file}
    run([str(places.get(word, word)).replace("{arch}", arch) for word in command])
    ptx = entries(ptx_file.read_text())
    cubin_file = ptx_file.with_suffix(".cubin")
    run([options.ptxas, f"-arch=sm_{arch}", ptx_file, "-o", cubin_file])
    code = text_sections(cubin_file.read_bytes())

    results = []
    for case in options.cases:
        def kernel(kind):
            start = f"_ZN{len(case.stem)}{case.stem}{kind}E"
            return next(name for name in ptx if name.startswith(start))
        typed, raw = kernel("5typed"), kernel("3raw")
        lines = [instructions(ptx[name]) for name in (typed, raw)]
        compiler = options.name.split(".")[1]
        excuse = re.search(rf"^// differs: {compiler} sm_{arch}: (.+?): .+", case.read_text(), re.M)
        if lines[0] == lines[1]:
            how = "equal in PTX"
        elif code[typed] == code[raw]:
            how = "equal in SASS"
        else:
            how = "differs by " + counts(*lines)
        good = how == ("differs by " + excuse[1] if excuse else how if how[0] == "e" else None)
        results.append((case.stem, arch, how, good))
        if options.show == case.stem and how != "equal in PTX":
            print("typed", *lines[0], "raw", *lines[1], sep="\n")
    return results


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--show", help="a case whose instructions are printed")
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    options = parser.parse_args(sys.argv[1:split])
    options.out.mkdir(parents=True, exist_ok=True)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        tables = pool.map(lambda arch: compare(options, sys.argv[split + 1 :], arch), ARCHS)
        results = [line for table in tables for line in table]
    for case, arch, how, good in results:
        print("pass" if good else "FAIL", f"{case:20} sm_{arch:4} {how}")
    tally = collections.Counter(how.split(" by ")[0] for _, _, how, _ in results)
    print(f"figure: {options.name}:", ", ".join(f"{n} {how}" for how, n in sorted(tally.items())))
    return not all(good for *_, good in results)


if __name__ == "__main__":
    sys.exit(main())
