# Draws the tables of CUDA Python: launches, examples, and functions of math.
# SPDX-License-Identifier: Apache-2.0
"""The functions take the root of the project, the file of the results, and the results; they return the rows of a table."""


def heading(root, file, results):
    """The rows that head a table: where and when the results were measured."""
    return [f"[{results['gpu']}, {results['date']}]({{root}}{file.relative_to(root)})", ""]


def launches(root, file, results):
    """The time of a launch by its number of arguments, from C++ and from Python."""
    kinds = {"from C++": results["launches_by_cpp"]}
    for record in results["launches"]:
        kinds.setdefault(f"from Python, {record['kind']}", []).append(record)
    counts = " | ".join(f"{record['arguments']} arguments" for record in kinds["from C++"])
    rows = [*heading(root, file, results), f"| launched | {counts} |", "|---|" + "---|" * len(kinds["from C++"])]
    return rows + [f"| {kind} | " + " | ".join(f"{each['us']:.1f} us" for each in same) + " |" for kind, same in kinds.items()]


def examples(root, file, results):
    """The time of each example, and of the same kernel in CUDA C++."""
    rows = [*heading(root, file, results), "| example | CUDA Python | CUDA C++ | ratio |", "|---|---|---|---|"]
    return rows + [f"| `{each['name']}` | {each['spio_us']:.0f} us | {each['cuda_us']:.0f} us | "
                   f"{each['ratio']:.2f} |" for each in results["examples"]]


def functions(root, file, results):
    """The greatest distance of each function of math from the exact value, and what CUDA documents."""
    rows = [*heading(root, file, results), "| units in the last place | float32 | float64 |", "|---|---|---|"]
    found = results["functions"]
    for name in dict.fromkeys(key.split(" of ")[0] for key in found):
        types = [found[f"{name} of {kind}"] for kind in ("float32", "float64")]
        rows.append(f"| `{name}` | " + " | ".join(f"{each['units']:.2f}, {each['documented']} documented" for each in types) + " |")
    return rows
