# Compares each typed kernel with its raw twin, in PTX and then in machine code.
# SPDX-License-Identifier: Apache-2.0
#
# A typed kernel indexes by the types of this library, its raw twin by plain integers: both must cost the same.
"""compare.py --name NAME --out FOLDER --ptxas PTXAS [--show CASE] CASE.cuh... -- COMMAND...

A case is a namespace with two kernels, typed and raw. COMMAND compiles {file}, which includes all
cases, to {ptx} for sm_{arch}. Twins must be equal in PTX, up to the names of registers and the
order of factors and summands of one instruction, or in the machine code that ptxas makes of them.
Where they are not, their file says what differs, and why:
    // typed differs from raw: nvcc: +1 mov.u32 -2 add.s32: what for
A file may also name instructions that its typed kernel must not have:
    // typed has no: div, rem
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
# Instructions whose first two operands may be exchanged.
COMMUTES = r"^((?:add|mul|mad|fma|and|or|xor|min|max)\S* \S+, )(\S+), ([^\s,;]+)"


def run(words):
    """Runs a command that must succeed."""
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(map(str, words)) + "\n" + result.stdout)


def entries(ptx):
    """The body of each kernel, by its mangled name."""
    return dict(re.findall(r"^\.(?:visible )?\.?entry (\w+)\(.*?\)[^{]*^{(.*?)^}", ptx, re.M | re.S))


def instructions(body):
    """The lines of a kernel. Registers, labels and variables are renamed in the order in which they appear."""
    names = {}

    def name(match):
        """What a register, a label or a variable is called instead."""
        kind = match[0].rstrip("0123456789") if match[0][0] == "%" else match[0][0]
        return names.setdefault(match[0], f"{kind}#{len(names)}")

    lines = []
    for line in body.splitlines():
        line = " ".join(re.sub(r"//.*", "", line).split())
        if line and not re.match(r"\.(reg|loc|pragma)\b|[{}]", line):
            line = re.sub(r"\b_Z\w*_param_", "param_", line)
            line = re.sub(r"%[a-z]+\d+\b|\$L\w+|\b_ZZ\w+", name, line)
            lines.append(re.sub(COMMUTES, lambda m: m[1] + ", ".join(sorted(m.group(2, 3))), line))
    return lines


def machine_code(cubin):
    """The code of each kernel: the sections .text.NAME of an ELF file."""
    table, = struct.unpack_from("<Q", cubin, 0x28)  # e_shoff
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)  # e_shentsize, e_shnum, e_shstrndx
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + i * size) for i in range(count)]
    code = {}
    for name, _, _, _, offset, length in headers:
        start = headers[names][4] + name
        section = cubin[start : cubin.index(b"\0", start)].decode()
        code[section.removeprefix(".text.")] = cubin[offset : offset + length]
    return code


def opcodes(lines):
    """The operation of each instruction, without its operands and its predicate."""
    return [re.sub(r"^@!?\S+ ", "", line).split()[0].rstrip(";") for line in lines if line[-1] == ";"]


def difference(typed, raw):
    """How many more of each instruction the typed kernel has: +1 mov.u32 -2 and.b32."""
    more = collections.Counter(opcodes(typed))
    more.subtract(opcodes(raw))
    return " ".join(f"{n:+} {op}" for op, n in sorted(more.items()) if n) or "the order"


def compare(options, command, arch):
    """For each case (good, name, arch, found). `found` says whether its typed and its raw kernel are equal in
    PTX, equal in machine code, or how they differ; it is good if they are equal, or differ as the
    `// typed differs from raw:` line of the case's file states."""
    folder = pathlib.Path(__file__).resolve().parent
    source = options.out / f"sm_{arch}.cu"
    ptx_file = options.out / f"sm_{arch}.ptx"
    cubin_file = options.out / f"sm_{arch}.cubin"
    includes = [folder / "dimensions.h", *(case.resolve() for case in options.cases)]
    source.write_text("".join(f'#include "{file}"\n' for file in includes))
    places = {"{file}": source, "{ptx}": ptx_file}
    run([str(places.get(word, word)).replace("{arch}", arch) for word in command])
    run([options.ptxas, f"-arch=sm_{arch}", ptx_file, "-o", cubin_file])
    bodies = entries(ptx_file.read_text())
    code = machine_code(cubin_file.read_bytes())

    compiler = options.name.removeprefix("codegen.")
    results = []
    for case in options.cases:
        def kernel(kind):
            """The mangled name of one of the twins."""
            return next(name for name in bodies if name.startswith(f"_ZN{len(case.stem)}{case.stem}{kind}E"))
        twins = kernel("5typed"), kernel("3raw")
        typed, raw = (instructions(bodies[twin]) for twin in twins)
        words = re.sub(r"\n// (?!typed differs from raw:|typed has no:|SPDX)", " ", case.read_text())
        expected = re.search(rf"^// typed differs from raw: {compiler}: (.+?): .", words, re.M)
        if typed == raw:
            found = "equal in PTX"
        elif code[twins[0]] == code[twins[1]]:
            found = "equal in SASS"
        else:
            found = "differs by " + difference(typed, raw)
        good = found == "differs by " + expected[1] if expected else found.startswith("equal")
        banned = re.search(r"^// typed has no: (.+)", words, re.M)
        for word in banned[1].split(", ") if banned else ():
            if any(opcode.split(".")[0] == word for opcode in opcodes(typed)):
                good, found = False, f"has {word}"
        results.append((good, case.stem, arch, found))
        if options.show == case.stem:
            print(f"typed sm_{arch}", *typed, f"raw sm_{arch}", *raw, sep="\n")
    return results


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--show", help="a case whose instructions to print")
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    options = parser.parse_args(sys.argv[1:split])
    options.out.mkdir(parents=True, exist_ok=True)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        tables = pool.map(lambda arch: compare(options, sys.argv[split + 1 :], arch), ARCHS)
        results = [result for table in tables for result in table]
    for good, case, arch, found in results:
        print("pass" if good else "FAIL", f"{case:18} sm_{arch:4} {found}")
    tally = collections.Counter(re.sub("^differs.*", "differ as their files say" if good else "differ", found)
                                for good, _, _, found in results)
    print(f"summary: {options.name}: {len(results)} pairs:",
          ", ".join(f"{n} {found}" for found, n in tally.most_common()))
    return not all(good for good, *_ in results)


if __name__ == "__main__":
    sys.exit(main())
