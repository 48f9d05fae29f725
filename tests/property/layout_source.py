# A random layout as C++ text, and the plain description of it that the reference (model.h) reads.
# SPDX-License-Identifier: Apache-2.0
#
# A layout maps positions to memory. A base is a dimension, and a digit of it is a part of the position that one
# axis counts: in I = 8 * block + rest, block and rest are digits of I. A derived axis computes its place from
# several digits: those that it places are its own, those that it only reads are other axes'. The extent of a
# base is the number of its positions: static is known when the layout is compiled, dynamic when a tensor is
# made, and a ring wraps positions around. `dice` is a random.Random.
import dataclasses
import math

sizes = [2, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 16]


@dataclasses.dataclass(frozen=True)
class Digit:
    """A digit of a base: floor(position / stride) modulo size."""

    base: str
    stride: int
    size: int

    def type(self):
        """The C++ of the fold that counts the digit."""
        return self.base if self.stride == 1 else f"spio::fold<{self.base}, {self.stride}>"

    def term(self):
        """The fold without its size, for the reference."""
        return f"{self.base} {self.stride}"

    def model(self):
        """The digit in the words that model.h reads."""
        return f"{self.base} {self.stride} {self.size}"


class Base:
    """A dimension with its digits, from the finest to the coarsest."""

    def __init__(self, dice, name):
        self.name = name
        self.finest = dice.choice([1, 1, 1, 1, 2, 3, 4])
        count = dice.choice([1, 1, 2, 2, 2, 3])
        self.kind = dice.choice(["static"] * 5 + ["ring"] * 2 + ["dynamic"] * 4)
        self.digits = []
        stride = self.finest
        for _ in range(count):
            self.digits.append(Digit(name, stride, dice.choice(sizes)))
            stride *= self.digits[-1].size
        self.extent = stride
        top = self.digits[-1]
        if self.kind == "static" and dice.random() < 0.06:
            self.extent = top.stride * dice.choice([1000, 4096, 30000])
        elif self.kind != "dynamic" and count > 1 and dice.random() < 0.12:
            self.extent = top.stride  # a single block
        self.most = ""  # the C++ that bounds a dynamic size, if it has a bound
        if self.kind == "dynamic":
            self.extent = 2**31 - 1
            if dice.random() < 0.75:
                self.extent = dice.choice([top.stride, 1]) * dice.randint(2, 40)
                self.extent = max(self.extent, 2 * top.stride)
                self.most = f".up_to({self.extent})"
        self.digits[-1] = Digit(name, top.stride, math.ceil(self.extent / top.stride))
        # The axis may count blocks of the dimension: its unit is then the finest digit's stride.
        self.unit = 1
        if self.kind != "dynamic" and self.finest > 1 and dice.random() < 0.5:
            self.unit = self.finest

    def variable(self):
        """The name of the base's axis in the C++."""
        return self.name.lower()

    def declaration(self):
        """The C++ of the axis that counts the base."""
        counted = Digit(self.name, self.unit, size=0).type()
        size = self.extent // self.unit
        if self.kind == "dynamic":
            size = f"spio::dynamic{self.most}"
        ring = ".ring()" if self.kind == "ring" else ""
        return f"constexpr auto {self.variable()} = spio::axis<{counted}>({size}){ring};"

    def expression(self, dice, digit):
        """The C++ of a digit of the axis, in one of the ways to write it."""
        stride, axis = digit.stride // self.unit, self.variable()
        quotient = f"{axis} / {stride}" if stride > 1 else axis
        if digit.stride == self.digits[-1].stride and digit.size == self.digits[-1].size:
            return quotient
        if stride > 1 and dice.random() < 0.5:
            return f"{axis} % {stride * digit.size} / {stride}"
        return f"{quotient} % {digit.size}"

    def model(self):
        """The base in the words that model.h reads."""
        return f"base {self.name} {self.extent} {self.kind}"


class Layout:
    """A random layout of one to four bases, whose digits are spread over axes in any order."""

    def __init__(self, dice):
        self.dice = dice
        names = dice.sample(["I", "J", "K", "N"], dice.choice([1, 2, 2, 3, 3, 4]))
        self.base_by_name = {name: Base(dice, name) for name in names}
        self.bases = names
        self.groups = []  # one for each axis: what place() says of it
        self.declarations = [base.declaration() for base in self.base_by_name.values()]
        digits = [d for base in self.base_by_name.values() for d in base.digits]
        if dice.random() < 0.25:
            self.add_unit(digits)
        dice.shuffle(digits)
        while digits:
            self.add_axis(digits)
        dice.shuffle(self.groups)
        self.add_pitches()
        self.moves = self.choose_moves()

    def dynamic_bases(self):
        """The names of the bases whose extent a tensor is given when it is made."""
        return [name for name, base in self.base_by_name.items() if base.kind == "dynamic"]

    def placed(self):
        """The digits that any axis places."""
        return [d for group in self.groups for d in group["placed"]]

    def expression(self, digit):
        """The C++ of a digit."""
        return self.base_by_name[digit.base].expression(self.dice, digit)

    def is_open(self, digit):
        """Whether the size of the digit is known at run time only."""
        base = self.base_by_name[digit.base]
        return base.kind == "dynamic" and digit == base.digits[-1]

    def add_unit(self, digits):
        """Adds a digit that is always 0, as k % V is with V = 1, beside another of its stride."""
        neighbour = self.dice.choice(digits)
        if neighbour.size > 1:
            digits.append(Digit(neighbour.base, neighbour.stride, size=1))

    def add_axis(self, digits):
        """Takes one or more digits, and places them as one axis."""
        dice = self.dice
        closed = [d for d in digits if not self.is_open(d) and d.size <= 64]
        kind = dice.choice(["plain"] * 4 + ["checkerboard", "exclusive_or", "shuffle"])
        colors = [d for d in closed if d.size == 2]
        if kind == "checkerboard" and colors and len(closed) > 1:
            color = dice.choice(colors)
            pair = dice.choice([d for d in closed if d != color])
            ranks = dice.choice([2, 4, 8, 16])
            text = f"spio::checkerboard({self.expression(pair)}, {self.expression(color)}, {ranks})"
            self.place(digits, f"checkerboard {ranks}", [pair, color], [], text)
        elif kind == "exclusive_or" and any(d.size in {2, 4, 8, 16} for d in closed):
            column = dice.choice([d for d in closed if d.size in {2, 4, 8, 16}])
            row = self.choose_read([column], column.size)
            if row:
                text = f"spio::swizzle({self.expression(column)}, {self.expression(row)})"
                self.place(digits, "exclusive_or", [column], [row], text)
        elif kind == "shuffle" and closed:
            placed = dice.sample(closed, min(len(closed), dice.choice([1, 2, 2, 3])))
            if math.prod(d.size for d in placed) <= 1024:
                self.shuffle(digits, placed)
        elif kind == "plain":
            digit = dice.choice(digits)
            self.place(digits, "plain", [digit], [], self.expression(digit))

    def shuffle(self, digits, placed):
        """A permutation that a user might write: factor * cell + shift + turn * sum of the digits read."""
        dice = self.dice
        cells = math.prod(d.size for d in placed)
        inputs = []
        for _ in range(dice.choice([0, 1, 2])):
            digit = self.choose_read(placed, most=64)
            if digit and digit not in inputs:
                inputs.append(digit)
        factor = dice.choice([f for f in range(1, 12) if math.gcd(f, cells) == 1])
        shift, turn = dice.randint(0, 9), dice.randint(1, 5)
        cell = "0"
        for n, d in enumerate(placed):
            cell = f"({cell} * {d.size} + p{n}.get())"
        rest = " + ".join(["0"] + [f"r{n}.get()" for n in range(len(inputs))])
        parameters = [f"{d.type()} p{n}" for n, d in enumerate(placed)]
        parameters += [f"{d.type()} r{n}" for n, d in enumerate(inputs)]
        text = (
            f"spio::derived([]({', '.join(parameters)}) {{ "
            f"return ({factor} * {cell} + {shift} + {turn} * ({rest})) % {cells}; }}, "
            + ", ".join(self.expression(d) for d in placed) + ")"
        )
        if inputs:
            text += f".reading({', '.join(self.expression(d) for d in inputs)})"
        self.place(digits, f"shuffle {factor} {shift} {turn}", placed, inputs, text)

    def choose_read(self, placed, most):
        """A digit that a derived axis may read: a part of a digit of another base, or a whole other digit of its own."""
        base = self.base_by_name[self.dice.choice(self.bases)]
        options = [d for d in base.digits if d not in placed and not self.is_open(d)]
        if all(d.base != base.name for d in placed):
            strides = [base.unit * s for s in (1, 2, 3, 4)]
            candidates = [Digit(base.name, stride, size) for stride in strides for size in (2, 3, 4, 8)]
            candidates = [d for d in candidates if not self.is_open(d)]
            options += [d for d in candidates if base.kind == "dynamic" or self.divides(base, d)]
        options = [d for d in options if d.size <= most]
        return self.dice.choice(options) if options else None

    @staticmethod
    def divides(base, digit):
        """Whether a base has a whole number of periods of the digit."""
        return base.extent % (digit.stride * digit.size) == 0 and digit.stride * digit.size < base.extent

    def place(self, digits, kind, placed, inputs, text):
        """Makes an axis of the placed digits, which are then no longer free."""
        for digit in placed:
            digits.remove(digit)
        self.groups.append({"kind": kind, "placed": placed, "read": inputs, "text": text, "pitch": -1})

    def add_pitches(self):
        """Declares the axes, one in five with a pitch: a distance in memory of its own, small or beyond 32 bits."""
        dice = self.dice
        self.axes = []
        for n, group in enumerate(self.groups):
            if dice.random() < 0.2:
                group["pitch"] = dice.choice([0, 1, 2, 5, 8, 16, 33, 64, 100, 129, 1024, 2**28])
                if group["pitch"] == 2**28 and dice.random() < 0.5:
                    group["pitch"] = dice.randint(2, 300)
            pitch = f".pitch({group['pitch']})" if group["pitch"] >= 0 else ""
            self.declarations.append(f"constexpr auto axis_{n} = ({group['text']}){pitch};")
            self.axes.append(f"axis_{n}")

    def choose_moves(self):
        """Folds by which a base cursor is moved: a cursor that is committed to a pointer, and steps by whole
        blocks of the coarsest digit. Moves by other folds must not compile."""
        base = self.base_by_name[self.dice.choice(self.bases)]
        top = base.digits[-1].stride
        other = self.dice.choice([1, base.finest, 2 * top, top * 3, 12])
        return [Digit(base.name, top, size=0)] + ([Digit(base.name, other, size=0)] if other != top else [])

    def model(self):
        """The whole layout in the words that model.h reads."""
        texts = [base.model() for base in self.base_by_name.values()]
        for group in self.groups:
            texts.append(f"axis {group['kind']} pitch {group['pitch']}")
            texts += [f"placed {d.model()}" for d in group["placed"]]
            texts += [f"read {d.model()}" for d in group["read"]]
        return " ".join(texts)


def make_layout(dice):
    """A random layout."""
    return Layout(dice)
