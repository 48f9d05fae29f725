# Checks that the pictures show what the formulas of the chip's manual say, and are XML.
# SPDX-License-Identifier: Apache-2.0
#
# A fragment is the part of a matrix that a lane holds.
#
#     check.py PROGRAM FOLDER
#
# PROGRAM is examples/pictures, which draws layouts with the banks of shared memory, matrix fragments with the
# lanes of a warp, and boxes that TMA swizzles.
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
svg = "{http://www.w3.org/2000/svg}"
checks = 0


def expect(got, wanted, subject):
    """Ends the program with a message that names the subject if what it got is not what is wanted."""
    global checks
    checks += 1
    if got != wanted:
        sys.exit(f"{subject}: expected {wanted}, got {got}")


def numbers(text):
    """The whole numbers in a text."""
    return [int(n) for n in re.findall(r"\d+", text)]


class Picture:
    """The boxes that have a meaning, with the words in each, and all words."""

    def __init__(self, path):
        root = xml.etree.ElementTree.parse(path).getroot()
        number = lambda e, name: int(e.get(name))
        self.texts = {(number(t, "x"), number(t, "y")): " ".join(t.itertext()) for t in root.iter(svg + "text")}
        self.words = list(self.texts.values())
        self.boxes = []
        for rect in root.iter(svg + "rect"):
            title = rect.find(svg + "title")
            if title is None:
                continue
            x, y = number(rect, "x"), number(rect, "y")
            places = [(u, v) for v in range(y, y + number(rect, "height") + 1)
                      for u in range(x, x + number(rect, "width") + 1)]
            inside = [self.texts[place] for place in places if place in self.texts]
            self.boxes.append((title.text, inside, rect.get("class").split(), x, y))

    def matching(self, pattern):
        """The boxes whose meaning the pattern describes: its groups and the box."""
        for title, inside, kinds, x, y in self.boxes:
            if match := re.fullmatch(pattern, title):
                yield match, inside, kinds, x, y


def expect_grid(places, subject):
    """Columns go right and rows go down, in steps that do not depend on the other."""
    for n, line_kind in enumerate(("column", "row")):
        lines = {}
        for cell, corner in places.items():
            lines.setdefault(cell[1 - n], set()).add(corner[n])
        expect({len(line) for line in lines.values()}, {1}, f"{subject}: the place of a {line_kind}")
        order = [min(lines[line]) for line in sorted(lines)]
        expect(order, sorted(set(order)), f"{subject}: the order of each {line_kind}")


# The bytes of the cells by row and column, and the row and column that each lane reads.
layouts = {
    "row_major": (4, 32, 32, lambda r, c: 4 * (32 * r + c), lambda n: (n, 0)),
    "padded": (4, 32, 32, lambda r, c: 4 * (33 * r + c), lambda n: (n, 0)),
    "swizzled": (4, 32, 32, lambda r, c: 4 * (32 * r + (c ^ r)), lambda n: (n, 0)),
    "matrices": (16, 16, 8, lambda r, c: 16 * (8 * r + c), lambda n: (n % 16, n // 16)),
    "swizzled_matrices": (16, 16, 8, lambda r, c: 16 * (8 * r + (c ^ r % 8)),
                          lambda n: (n % 16, n // 16)),
}


def check_layout(name, picture):
    """A picture of lanes that read shared memory: the bank of each cell, and in which pass each lane is served."""
    size, rows, columns, byte, place = layouts[name]
    banks = lambda a: str(a // 4 % 32) if size == 4 else f"{a // 4 % 32}-{a // 4 % 32 + 3}"
    lanes = {place(lane): lane for lane in range(32)}
    cells = {}
    pattern = r"row (\d+), column (\d+): byte (\d+), bank ([\d-]+)(?:, lane (\d+))?"
    for match, inside, kinds, x, y in picture.matching(pattern):
        cell = int(match[1]), int(match[2])
        expect(cell in cells, False, f"{name}: {cell} is drawn once")
        cells[cell] = x, y
        address = byte(*cell)
        lane = lanes.get(cell)
        expect((int(match[3]), match[4]), (address, banks(address)), f"{name}: {cell}")
        expect(match[5], None if lane is None else str(lane), f"{name}: the lane at {cell}")
        expect("read" in kinds, lane is not None, f"{name}: the frame of {cell}")
        expect((inside, kinds[0]), ([banks(address)], f"p{address // 4 % 32}"), f"{name}: {cell}")
    expect(len(cells), rows * columns, f"{name}: cells")
    expect_grid(cells, name)

    together = 128 // max(size, 4)
    passes, served = 0, {}
    for first in range(0, 32, together):
        waiting = {}
        for lane in range(first, first + together):
            waiting.setdefault(byte(*place(lane)) // 4 % 32, []).append(lane)
        for bank, queue in waiting.items():
            served.update({lane: (passes + n, bank) for n, lane in enumerate(queue)})
        passes += max(map(len, waiting.values()))
    drawn = {}
    tops = {}
    for match, inside, kinds, x, y in picture.matching(r"pass (\d+): lane (\d+), bank (\d+).*"):
        turn, lane, bank = map(int, match.groups())
        drawn[lane] = turn, bank
        tops[turn, bank] = x, y
        expect((inside, kinds[0]), ([str(lane)], f"p{bank}"), f"{name}: pass of lane {lane}")
    expect(drawn, served, f"{name}: passes")
    expect_grid(tops, f"{name}: passes")
    verdict = f"{passes} pass{'es' * (passes > 1)}, {passes - 32 // together} bank conflicts"
    expect(verdict in picture.words, True, f"{name}: {verdict}")


# The tables of the PTX ISA for mma.m16n8k16: row and column of number n of a lane.
fragments = {
    "a": (8, lambda lane, n: (lane // 4 + 8 * (n // 2 % 2), lane % 4 * 2 + n % 2 + 8 * (n // 4))),
    "b": (4, lambda lane, n: (lane % 4 * 2 + n % 2 + 8 * (n // 2), lane // 4)),
    "c": (4, lambda lane, n: (lane // 4 + 8 * (n // 2), lane % 4 * 2 + n % 2)),
}
letters = {"product": "abc", "left": "a", "right": "b", "sum": "c"}


def check_fragment(name, picture):
    """A picture of the operands of mma.m16n8k16: which lane holds which numbers."""
    for letter in letters[name]:
        count, place = fragments[letter]
        seen, corners = set(), {}
        for match, inside, kinds, x, y in picture.matching(letter + r": lane (\d+), (.*)"):
            lane = int(match[1])
            held = numbers(match[2])
            for n, row, column in zip(held[::3], held[1::3], held[2::3]):
                expect((row, column), place(lane, n), f"{name}: {letter}{n} of lane {lane}")
                seen.add((lane, n))
            corners[held[1], held[2]] = x, y
            labels = [f"{lane} {letter}{n}" for n in held[::3]]
            expect((inside, kinds), (labels, [f"p{lane}"]), f"{name}: {letter} of lane {lane}")
        expect(len(seen), 32 * count, f"{name}: numbers of {letter}")
        expect_grid(corners, f"{name}: {letter}")


# Cells of 16 bytes in a row, and which bits of the line's number the hardware exchanges them by.
boxes = {"128": (8, 7), "64": (4, 3), "32": (2, 1), "none": (8, 0)}


def check_box(name, picture):
    """A picture of a TMA box: where its cells lie in shared memory after the swizzle of this name."""
    columns, mask = boxes[name]
    pattern = (r"(in memory )?row (\d+), cell (\d+): byte (\d+), line (\d+), "
               r"banks (\d+)-(\d+)")
    cells, memory = {}, {}
    for match, inside, kinds, x, y in picture.matching(pattern):
        row, column, *drawn = map(int, match.groups()[1:])
        linear = 16 * (columns * row + column)
        byte = linear ^ (linear >> 7 & mask) << 4
        first = byte // 4 % 32
        expect(drawn, [byte, byte // 128, first, first + 3], f"box {name}: {row}, {column}")
        expect(kinds[0], f"p{first}", f"box {name}: the color of {row}, {column}")
        expect("read" in kinds, row < 8 and column == 0, f"box {name}: the frame of {row}, {column}")
        expect(inside, [f"{row}, {8 * column}" if match[1] else str(byte)], f"box {name}: label")
        if match[1]:
            memory[byte // 128, first] = x, y
        else:
            cells[row, column] = x, y
    expect((len(cells), len(memory)), (16 * columns, 16 * columns), f"box {name}: cells")
    expect_grid(cells, f"box {name}")
    expect_grid(memory, f"box {name}: memory")
    plan = next(numbers(words) for words in picture.words if words.startswith("rank"))
    span = 16 * columns if mask else 0
    expect(plan, [2, 2, 512, 4096, 2, 1024, 8 * columns, 16, span], f"box {name}: plan")
    conflicts = f"{0 if mask else 28} bank conflicts"
    expect(conflicts in picture.words, True, f"box {name}: {conflicts}")


def run(*words):
    """Runs the program that draws, with these arguments."""
    return subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)


def check_command_line():
    """What the program says to wrong arguments, and where it writes."""
    for words, wanted in [
        (["tile"], "no kind tile; there are: layout fragment box"),
        (["box", "48"], "no box 48; there are: 128 64 32 none"),
        (["fragment", "-o", "one.svg"], "-o is for one picture"),
        (["box", "64", "-o"], "-o needs a file"),
        (["box", "64", "-o", "nowhere/box.svg"], "could not write nowhere/box.svg"),
        (["box", "64", "32"], "too many words: 32"),
        (["--draw"], "no option --draw"),
    ]:
        result = run(*words)
        expect((result.returncode, wanted in result.stderr), (1, True), f"{words}: {result.stderr}")
    expect(run("--help").stdout.startswith("usage: pictures"), True, "--help")
    expect(run("box", "64", "-o", "one.svg").returncode, 0, "-o")
    expect((folder / "one.svg").read_text(), (folder / "box_64.svg").read_text(), "-o one.svg")


folder.mkdir(parents=True, exist_ok=True)
for old in folder.glob("*.svg"):
    old.unlink()
result = run()
expect(result.returncode, 0, f"pictures: {result.stderr}")
written = {line.split(":")[0] for line in result.stdout.splitlines()}
kinds = {"layout": (layouts, check_layout), "fragment": (letters, check_fragment),
         "box": (boxes, check_box)}
expect(written, {f"{kind}_{name}.svg" for kind in kinds for name in kinds[kind][0]}, "written")
for kind, (names, check) in kinds.items():
    for name in names:
        check(name, Picture(folder / f"{kind}_{name}.svg"))
check_command_line()
print(f"summary: pictures: {len(written)} pictures, {checks} facts")
