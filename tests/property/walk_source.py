# Random walks through a layout, and compound indices, as C++ text beside a plain description.
# SPDX-License-Identifier: Apache-2.0
#
# A walk indexes a tensor by subscripts, which give cursors, and moves cursors by steps. A digit is a part of a
# position in a dimension, which is called its base: floor(position / stride) modulo size. A compound index is
# one number that counts through several digits. The plain description is a text from which a reference computes
# the same addresses. `dice` is a random.Random.
import math

from layout_source import Digit

bounds = [2, 3, 4, 5, 8, 16, 32]


class Index:
    """A compound index of one to four digits. Digits of one base need not follow each other without gaps."""

    def __init__(self, dice, name):
        self.name = name
        self.digits = []
        self.tiles = True
        axes = []
        bases = dice.sample(["I", "J", "K", "N", "Absent"], dice.choice([1, 2, 3]))
        for base in bases:
            stride = 1
            if dice.random() < 0.2:
                stride = dice.choice([2, 3, 8])
            for _ in range(dice.choice([1, 1, 2])):
                size = dice.choice([2, 3, 4, 5, 8])
                self.digits.append(Digit(base, stride, size))
                gap = dice.choice([1, 1, 1, 2])
                stride *= size * gap
                # A gap that is drawn above the coarsest digit counts as one, too.
                self.tiles &= gap == 1
        dice.shuffle(self.digits)
        for d in self.digits:
            axes.append(f"spio::axis<{d.type()}>({d.size})")
        self.size = math.prod(d.size for d in self.digits)
        listed = ", ".join(axes)
        self.dense = f"spio::tensor<char, {listed}>" if self.tiles else f"dense_form<{name}>"
        self.declaration = f"using {name} = spio::compound_index<{listed}>;"

    def model(self):
        """The digits, as the oracle reads them."""
        return " ".join(d.model() for d in self.digits)

    def term(self):
        """The index as a term of a walk, as the oracle reads it."""
        return f"index {self.size} {len(self.digits)} {self.model()}"


def make_index(dice, name):
    return Index(dice, name)


class Walk:
    """Subscripts and steps of a tensor t, one after the other, as C++ text in which the array v holds all numbers."""

    def __init__(self, dice, layout, indices, longest):
        self.dice = dice
        self.layout = layout
        self.indices = indices
        self.statements = []
        self.terms = ""
        self.count = 0
        self.end = "t"
        self.cursors = 0
        self.drawn = []
        for _ in range(dice.randint(1, longest)):
            self.go()

    def go(self):
        """Adds a subscript or a step."""
        kind = self.dice.choice(["value"] * 4 + ["coordinates", "sum", "index"] + ["step"] * 3)
        place = getattr(self, kind if kind != "step" else self.dice.choice(["value", "coordinates"]))()
        if place is None:
            return
        if kind != "step":
            self.move(f"{self.end}[{place}]")
        else:
            if self.end == "t":
                self.move("t.origin()")
            self.statements.append(f"{self.end}.step({place});")

    def move(self, expression):
        """Makes a new cursor of this C++ expression, on which the walk goes on."""
        self.statements.append(f"auto c{self.cursors} = {expression};")
        self.end = f"c{self.cursors}"
        self.cursors += 1

    def draw(self):
        """A random digit: a fold of a dimension of the layout, perhaps with a bound, or one that was drawn before."""
        if self.drawn and self.dice.random() < 0.3:
            return self.dice.choice(self.drawn)
        base = self.layout.base_by_name[self.dice.choice(self.layout.bases)]
        strides = [1, 1, base.finest, 2, 3, 6] + [d.stride for d in base.digits]
        stride = self.dice.choice([s for s in strides if s <= 128])
        bound = self.dice.choice(bounds) if self.dice.random() < 0.3 else 0
        self.drawn.append(Digit(base.name, stride, bound))
        return self.drawn[-1]

    def write(self, digit, sign="+"):
        """The C++ text of a value of the digit. Its term is added to the plain description."""
        self.terms += f" {sign} {digit.model()}"
        kind = f"spio::bounded<{digit.type()}, {digit.size}>" if digit.size else digit.type()
        self.count += 1
        return f"{kind}(v[{self.count - 1}])"

    # The subscripts and steps of one kind each, as C++ text.
    def value(self):
        return self.write(self.draw())

    def sum(self):
        first, second = self.draw(), self.draw()
        if self.dice.random() < 0.2:
            second = Digit("Absent", stride=1, size=0)
        sign = self.dice.choice("+-")
        left = self.write(first)
        return f"{left} {sign} {self.write(second, sign)}"

    def coordinates(self):
        digits = [self.draw()]
        if self.dice.random() < 0.3:
            digits.append(Digit("Absent", stride=1, size=0))
        for _ in range(self.dice.choice([0, 1, 2])):
            digit = self.draw()
            if all((d.base, d.stride) != (digit.base, digit.stride) for d in digits):
                digits.append(digit)
        self.dice.shuffle(digits)
        return f"spio::make_coordinates({', '.join(self.write(d) for d in digits)})"

    def index(self):
        index = self.dice.choice(self.indices)
        if not any(d.base in self.layout.bases for d in index.digits):
            return None
        self.terms += " " + index.term()
        self.count += 1
        return f"{index.name}(v[{self.count - 1}])"


def make_walk(dice, layout, indices, longest):
    """A walk that is not empty, of at most `longest` subscripts and steps."""
    while True:
        walk = Walk(dice, layout, indices, longest)
        if walk.end != "t":
            return walk
