# Random chains of views and orders of a layout, as C++ text beside a plain description.
# SPDX-License-Identifier: Apache-2.0
#
# A view is a tensor over the same memory whose dimensions are renamed, reversed, split, joined or cut. Each
# chain is written twice: as calls for the compiler, and as steps for the test's own model. A digit of a
# position in a dimension is floor(position / stride) mod size; an axis counts one. The oracle is the test's
# own model.

fresh = ["A", "B"]  # the dimensions that views make; no layout has them


class Chain:
    """Views of views of a tensor. The compiler leaves out those that are not possible."""

    def __init__(self, dice, layout, longest):
        """Draws at most `longest` views; `dice` is a random.Random."""
        self.dice = dice
        self.layout = layout
        self.calls = []  # of a tensor x, with the start of each part in starts
        self.steps = []
        derived = {d.base for group in layout.groups if group["kind"] != "plain" for d in group["placed"]}
        self.names = [b.name for b in layout.base_by_name.values() if b.finest == 1]
        # Most views need plain axes.
        self.names += 3 * [name for name in self.names if name not in derived]
        for _ in range(dice.randint(1, longest) if self.names else 0):
            kind = dice.choice(["rename", "reverse", "every", "split", "join", "broadcast", "slice", "tile", "shift"])
            getattr(self, kind)(dice.choice(self.names))

    def add(self, call, step, gone=(), new=()):
        """Adds a view: its C++, its description, and the dimensions that it removes and makes."""
        self.calls.append(call)
        self.steps.append(step)
        self.names = [name for name in self.names if name not in gone] + list(new)

    def free(self):
        """A dimension that the view does not have yet, if there is one."""
        return self.dice.choice([name for name in fresh if name not in self.names] or fresh)

    # The kinds of views, of x: their C++, and their description for the oracle.
    def rename(self, name):
        new = self.free()
        self.add(f"spio::rename<{name}, {new}>(x)", f"rename {name} {new}", [name], [new])

    def reverse(self, name):
        self.add(f"spio::reverse<{name}>(x)", f"reverse {name}")

    def every(self, name):
        count = self.dice.choice([1, 2, 2, 3, 4])
        self.add(f"spio::every<{count}, {name}>(x)", f"every {name} {count}")

    def split(self, name):
        base = self.layout.base_by_name.get(name)
        parts = [d.stride * n for d in base.digits for n in (1, 2, 3, 4) if d.size % n == 0] if base else [1, 2]
        count = self.dice.choice(parts + [2, 3])
        new = self.free()
        outer, inner = self.dice.choice([[name, new], [new, name]])
        self.add(f"spio::split<{name}, {outer}, {inner}, {count}>(x)", f"split {name} {outer} {inner} {count}",
                 [], [new])

    def join(self, name):
        inner = self.dice.choice([other for other in self.names if other != name] or [name])
        new = self.dice.choice([self.free(), name, inner])
        self.add(f"spio::join<{name}, {inner}, {new}>(x)", f"join {name} {inner} {new}", [name, inner], [new])

    def broadcast(self, _):
        new, count = self.free(), self.dice.randint(1, 5)
        self.add(f"spio::broadcast<spio::axis<{new}>({count})>(x)", f"broadcast {new} {count}", [], [new])

    def start(self, name):
        """The C++ of a part's start, which is drawn at run time, and its stride."""
        base = self.layout.base_by_name.get(name)
        stride = self.dice.choice([d.stride for d in base.digits] if base else [1, 2])
        start = f"spio::fold<{name}, {stride}>(starts[{len(self.calls)}])"
        return start, stride

    def slice(self, name):
        start, stride = self.start(name)
        count = self.dice.choice([1, 1, 2, 2, 3, 4])
        self.add(f"spio::slice<{count}>(x, {start})", f"slice {name} {stride} {count * stride}")

    def tile(self, name):
        start, stride = self.start(name)
        count = stride * self.dice.choice([1, 2, 3, 4])
        self.add(f"spio::tile<{count}>(x, {start})", f"tile {name} {stride} {count}")

    def shift(self, name):
        start, stride = self.start(name)
        self.add(f"shift(x, {start})", f"shift {name} {stride}")

    def function(self, number):
        """A C++ function that makes a tensor of sizes s and its views, whose parts begin at `starts`, and returns
        what the last view has at position p. make(), seen_by(), which leaves out a view that does not compile,
        and look(), which fills the result, are in the C++ that includes the function."""
        lines = [f"inline glimpse see_{number}(int const* s, int const* starts, int const* p) {{",
                 "glimpse g; auto const v0 = make(s);"]
        for n, call in enumerate(self.calls):
            lines.append(f"auto const v{n + 1} = seen_by([&](auto const& x) -> decltype({call}) "
                         f"{{ return {call}; }}, v{n}, g.is_possible[{n}]);")
        return lines + [f"(void)starts; look(v{len(self.calls)}, p, g); return g;", "}"]


def make_order(dice, layout):
    """The digits of a layout as plain axes in another order: their C++, and their description for the oracle."""
    digits = [d for d in layout.placed() if d.size > 1 or layout.is_open(d) or layout.base_by_name[d.base].digits[-1] == d]
    dice.shuffle(digits)
    axes = ", ".join(f"({layout.expression(d)})" for d in digits)
    return axes, " ".join(f"axis plain pitch -1 placed {d.model()}" for d in digits)
