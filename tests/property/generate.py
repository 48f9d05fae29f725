# Writes random layout types, walks through them, views, orders and compound indices as C++.
# SPDX-License-Identifier: Apache-2.0
#
# A layout maps positions to memory; a walk through one is a list of subscripts and steps; a compound index is
# one number that counts through several dimensions. Each is described in plain text too, from which the test
# computes what the C++ must give. `dice` is a random.Random.
import argparse
import math
import pathlib
import random

from layout_source import make_layout
from view_source import Chain, make_order
from walk_source import make_index, make_walk

heading = """\
// Random layouts: generated, not to be edited.
// SPDX-License-Identifier: Apache-2.0
#include "{header}"

#include "generated.h"
"""


def quoted(text):
    """The text as a string literal of C++."""
    return '"' + " ".join(text.split()).replace('"', '\\"') + '"'


def print_layout(layout, walks, chains, order, name):
    """One namespace for a layout, with an entry for the list of all."""
    bases = ", ".join(layout.bases)
    digits = ", ".join(d.type() for d in layout.placed())
    sizes = "".join(f", {b}(s[{i}])" for i, b in enumerate(layout.dynamic_bases()))
    lines = [f"namespace {name} {{"]
    lines += layout.declarations
    lines += [
        f"using tensor = spio::tensor<char, {', '.join(layout.axes)}>;",
        f"inline tensor make(int const* {'s' if sizes else ''}) {{ return tensor(memory{sizes}); }}",
        f"inline portrait describe(int const* s) {{ return with_bases<{bases}>::describe<{digits}>(make(s)); }}",
        f"inline std::vector<visit> visit_all(int const* s) {{ return with_bases<{bases}>::visit_all(make(s)); }}",
        f"inline std::vector<visit> visit_vectors(int const* s) "
        f"{{ return with_bases<{bases}>::visit_vectors(make(s)); }}",
    ]
    lines.append(f"inline std::vector<visit> visit_order(int const* s) "
                 f"{{ return with_bases<{bases}>::visit_order<{order[0]}>(make(s)); }}")
    for n, chain in enumerate(chains):
        lines += chain.function(n)
    for n, walk in enumerate(walks):
        lines += [f"inline arrival walk_{n}(int const* s, int const* v) {{", "auto const t = make(s);"]
        lines += walk.statements
        moves = "".join(", " + m.type() for m in layout.moves) if n == 0 else ""
        arrive = f"arrive<{moves[2:]}>" if moves else "arrive<>"
        lines += [f"return {arrive}({walk.end}, v[{walk.count}]);", "}"]
    lines.append("}")
    entries = ",\n".join(
        f"{{{quoted(w.terms)}, {quoted(' '.join(w.statements))}, {name}::walk_{n}}}"
        for n, w in enumerate(walks)
    )
    moves = ", ".join(quoted(m.term()) for m in layout.moves)
    views = ", ".join(
        f"{{{{{', '.join(quoted(step) for step in chain.steps)}}}, {name}::see_{n}}}" for n, chain in enumerate(chains)
    )
    text = " ".join(layout.declarations) + f" tensor<char, {', '.join(layout.axes)}>"
    entry = (
        f"all.push_back({{{quoted(text)},\n{quoted(layout.model())},\n"
        f"{name}::describe, {name}::visit_all, {name}::visit_vectors, {{{entries}}}, {{{moves}}},\n"
        f"{{{views}}}, {quoted(order[1])}, {name}::visit_order}});"
    )
    return "\n".join(lines), entry


def print_layouts(dice, unit, count):
    """The C++ source number `unit`, with `count` random layouts and two walks through each."""
    indices = [make_index(dice, f"index_{n}") for n in range(8)]
    bodies = [i.declaration for i in indices]
    entries = []
    for n in range(count):
        layout = make_layout(dice)
        walks = [make_walk(dice, layout, indices, longest) for longest in (5, 2)]
        chains = [c for c in (Chain(dice, layout, longest) for longest in (4, 2, 1)) if c.calls]
        body, entry = print_layout(layout, walks, chains, make_order(dice, layout), f"layout_{n}")
        bodies.append(body)
        entries.append(entry)
    return (
        heading.format(header="compiled_view.h")
        + "\nnamespace {\n\n" + "\n\n".join(bodies) + "\n\n}\n\n"
        + f"void add_layouts_{unit}(std::vector<compiled_layout>& all) {{\n"
        + "\n".join(entries) + "\n}\n"
    )


def print_indices(dice, count):
    """The C++ source of `count` random compound indices."""
    indices = [make_index(dice, f"index_{n}") for n in range(count)]
    bodies = [i.declaration for i in indices]
    entries = [
        f"all.push_back(index_of_digits<{i.name}, {i.dense}>::make<{', '.join(d.type() for d in i.digits)}>("
        f"{quoted(i.declaration)}, {quoted(i.model())}));"
        for i in indices
    ]
    return (
        heading.format(header="compiled_index.h")
        + "\nnamespace {\n\n" + "\n".join(bodies) + "\n\n}\n\n"
        + "void add_indices(std::vector<compiled_index>& all) {\n" + "\n".join(entries) + "\n}\n"
    )


def print_header(seed, units):
    """The header that declares the functions of all sources; `units` is the number of those with layouts."""
    declarations = "".join(f"void add_layouts_{u}(std::vector<compiled_layout>&);\n" for u in range(units))
    calls = "".join(f"    add_layouts_{u}(all);\n" for u in range(units))
    return f"""\
// The list of all generated layouts and indices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

struct compiled_layout;
struct compiled_index;

inline constexpr unsigned long long seed_of_types = {seed};

{declarations}void add_indices(std::vector<compiled_index>&);

inline void add_layouts(std::vector<compiled_layout>& all) {{
{calls}}}
"""


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seed", type=int, required=True)
    arguments.add_argument("--units", type=int, required=True)
    arguments.add_argument("--layouts", type=int, required=True)
    arguments.add_argument("--indices", type=int, required=True)
    arguments.add_argument("folder", type=pathlib.Path)
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "generated.h": print_header(options.seed, options.units),
        "indices.cpp": print_indices(random.Random(f"{options.seed} indices"), options.indices),
    }
    for unit in range(options.units):
        count = math.ceil((options.layouts - unit) / options.units)
        dice = random.Random(f"{options.seed} layouts {unit}")
        texts[f"layouts_{unit}.cpp"] = print_layouts(dice, unit, count)
    for name, text in texts.items():
        (options.folder / name).write_text(text)


main()
