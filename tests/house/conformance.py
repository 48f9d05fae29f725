# Checks that each row of the reference's conformance list has its test, or a reason to have none.
# SPDX-License-Identifier: Apache-2.0
"""conformance.txt has a line `Suite.row: file` or `Suite.row: (reason)` for every row.

A test names its row in a comment or in its TEST_CASE, the suite said once for a list of rows:
    // Coordinates are equal if all entries are. (Coordinates.equal_same_dims_true, equal_same_dims_false)
"""
import re
import sys

from sources import root

# What a test fails by; a kernel is a test by being compiled and run.
assertion = r"\b(static_assert|CHECK\w*|REQUIRE\w*|__global__|try_once|assert\w*|check_\w+|opcheck)\b"
comment = r"^[ \t]*(?://|# ).*\n"  # of C++ or of Python


def rows_named_in(text):
    """All rows that the comments and test cases of a file name, suites given to plain names.

    A comment alone tests nothing: the code behind it, up to the next unindented comment that names a row,
    must assert something."""
    rows = set()
    named = [(match.start(), match.end(), re.sub(r'^[ \t]*(//|# )|"\s*"|"', "", match[1] or match[0], flags=re.M))
             for match in re.finditer(f'(?:{comment})+' r'|TEST_CASE\(\s*((?:"[^"]*"\s*)+)', text, re.M)]
    starts = [start for start, _, words in named
              if text.startswith(("//", "# "), start) and re.search(r"[A-Za-z]\w*\.\w", words)] + [len(text)]
    for start, end, words in named:
        code = re.sub(r"//.*", "", text[end:min(next_start for next_start in starts if next_start > start)])
        if not re.search(assertion, code):
            continue
        rows.update(" ".join(part.split()) for part in re.split("[,:()]", words))
        suite = None
        for word in re.findall(r"[A-Za-z]\w*(?:\.\w+)?", words):
            if "." in word:
                suite = word.split(".")[0]
                rows.add(word)
            elif suite:
                rows.add(f"{suite}.{word}")
    return rows


def main():
    named, missing, tested, excused = {}, [], 0, {}
    for line in (root / "tests/house/conformance.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        row, _, place = line.partition(": ")
        if place.startswith("("):
            excused[place] = excused.get(place, 0) + 1
            continue
        if place not in named:
            path = root / place
            named[place] = rows_named_in(path.read_text()) if path.exists() else set()
        found = row in named[place]
        tested += found
        if not found:
            missing.append(f"{place}: no test is named {row}")
    print(*missing, sep="\n")
    reasons = ", ".join(f"{count} {reason.strip('()')}" for reason, count in sorted(excused.items()))
    print(f"summary: house.conformance: {tested} rows tested, {len(missing)} missing; "
          f"without a counterpart: {reasons}")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
