# Compares the machine code of two folders of compiled kernels, kernel by kernel, so that names may change and code may not.
# SPDX-License-Identifier: Apache-2.0
"""compare_machine_code.py BEFORE AFTER [--rename OLD=NEW]...

Both folders are searched for *.cubin and *.ptx. A kernel is paired with the one of the same name in the same
subfolder, whatever file holds it; --rename replaces the regular expression OLD in the names of BEFORE, and
the hash that ends the name of a specialization is ignored. In a cubin, the instructions, their relocations, the
constants, the registers and the shared memory are compared; in PTX, the text of each kernel. Exit status 1 if any
kernel differs or has no partner.
"""
import argparse
import pathlib
import re
import struct
import sys

INSTRUCTION_BYTES = 16
REGISTER_COUNT = b"\x04\x2f\x08\x00"  # an attribute of .nv.info: a symbol and its registers


class Kernel:
    """What must stay the same: a dictionary of parts, and counts that describe how two kernels differ."""

    def __init__(self, parts, instructions, registers):
        self.parts, self.instructions, self.registers = parts, instructions, registers


def text_at(strings, offset):
    """The text at an offset, up to its zero."""
    return strings[offset:strings.index(b"\0", offset)].decode()


def sections_of(image):
    """Name, type, flags and bytes of each section of an ELF file of 64 bits; and its symbols' names."""
    start, = struct.unpack_from("<Q", image, 0x28)  # e_shoff
    size, count, names_index = struct.unpack_from("<HHH", image, 0x3A)  # e_shentsize, e_shnum, e_shstrndx
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, start + size * i) for i in range(count)]
    names = image[headers[names_index][4]:][:headers[names_index][5]]
    sections, symbols = {}, []
    for name, kind, _, _, offset, length, link, _, _, _ in headers:
        content = b"" if kind == 8 else image[offset:offset + length]  # 8: takes no room in the file
        sections[text_at(names, name)] = (length, content)
        if kind == 2:  # the table of symbols
            strings = image[headers[link][4]:][:headers[link][5]]
            symbols = [text_at(strings, struct.unpack_from("<I", content, offset)[0]) for offset in range(0, length, 24)]
    return sections, symbols


def registers_of(info, symbols):
    """The number of registers of each kernel, by its symbol, as the section .nv.info has it."""
    counts = {}
    for match in re.finditer(re.escape(REGISTER_COUNT), info, re.S):
        symbol, count = struct.unpack_from("<II", info, match.end())
        if match.start() % 4 == 0 and symbol < len(symbols):
            counts[symbols[symbol]] = count
    return counts


def kernels_of_cubin(path):
    """The name and the Kernel of each kernel in a file of machine code."""
    sections, symbols = sections_of(path.read_bytes())
    registers = registers_of(sections.get(".nv.info", (0, b""))[1], symbols)
    for section, (length, code) in sections.items():
        if not section.startswith(".text."):
            continue
        name = section[len(".text."):]
        parts = {"instructions": code, "registers": registers.get(name)}
        for other, (size, content) in sections.items():
            if other.endswith("." + name) and other != section and other.startswith((".nv.constant", ".nv.shared")):
                parts[other[:-len(name) - 1]] = (size, content)
        for kind, step in ((".rel", 16), (".rela", 24)):
            entries = sections.get(f"{kind}{section}", (0, b""))[1]
            # Of each relocation the offset, the type and the addend, without the number of its symbol.
            parts[kind] = [(entries[offset:offset + 12], entries[offset + 16:offset + step]) for offset in range(0, len(entries), step)]
        yield name, Kernel(parts, length // INSTRUCTION_BYTES, registers.get(name))


def normalized(text, name):
    """PTX without the kernel's name, mangled names, comments, and the number of the kernel in its labels."""
    text = re.sub(r"//[^\n]*", "", text).replace(name, "KERNEL")
    text = re.sub(r"\$L__BB\d+_", "$L__BB_", text)
    mangled = {}
    return re.sub(r"\b_Z\w+", lambda match: mangled.setdefault(match[0], f"NAME{len(mangled)}"), text)


def kernels_of_ptx(path):
    """The name and the Kernel of each kernel in a file of PTX."""
    for match in re.finditer(r"\.entry\s+(\w+)\s*\(.*?^\}", path.read_text(), re.S | re.M):
        text = normalized(match[0], match[1])
        instructions = text.count(";")
        yield match[1], Kernel({"text": text}, instructions, len(re.findall(r"^\s*\.reg", text, re.M)))


def kernels_in(folder, renames):
    """All kernels of a folder by subfolder and name; `renames` are pairs (expression, text) for names."""
    kernels = {}
    for path in sorted(folder.rglob("*")):
        reader = {".cubin": kernels_of_cubin, ".ptx": kernels_of_ptx}.get(path.suffix)
        if reader is None:
            continue
        for name, kernel in reader(path):
            for old, new in renames:
                name = re.sub(old, new, name)
            name = re.sub(r"_[0-9a-f]{16}$", "", name)
            key = f"{path.parent.relative_to(folder)}/{name}"
            while key in kernels:
                key += "'"
            kernels[key] = kernel
    return kernels


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--rename", action="append", default=[])
    parser.add_argument("--partial", action="store_true", help="kernels that AFTER lacks are no difference")
    options = parser.parse_args()
    old = kernels_in(options.before, [rename.split("=") for rename in options.rename])
    new = kernels_in(options.after, [])
    compared, different = 0, []
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            if name not in old or not options.partial:
                different.append(f"{name}: only {'before' if name in old else 'after'}")
            continue
        compared += 1
        old_kernel, new_kernel = old[name], new[name]
        parts = [part for part in old_kernel.parts.keys() | new_kernel.parts.keys()
                 if old_kernel.parts.get(part) != new_kernel.parts.get(part)]
        if parts:
            different.append(f"{name}: {', '.join(sorted(parts))}; instructions {old_kernel.instructions} -> "
                             f"{new_kernel.instructions}, registers {old_kernel.registers} -> {new_kernel.registers}")
    print(*different, sep="\n", end="\n" if different else "")
    print(f"summary: machine code: {compared} kernels compared, {len(different)} differences")
    return bool(different) or not compared


if __name__ == "__main__":
    sys.exit(main())
