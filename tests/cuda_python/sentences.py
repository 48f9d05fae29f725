# Each sentence about the language in docs/cuda_python.md has a test, which sentences.txt names.
# SPDX-License-Identifier: Apache-2.0
"""sentences.py [--list]

A line of sentences.txt has the beginning of a sentence and, after a |, what tests it: the name of a TEST_CASE, or a text
that stands in rejected.txt, or a test of python/dialect_*test.py or command/cuda_python.py. A line of
specification.txt has a statement of the specification, CUDA Python v0.2, instead.
"""
import pathlib
import re
import sys

folder = pathlib.Path(__file__).resolve().parent
root = folder.parents[1]


def sentences():
    """The sentences and the rows of tables in the sections on the language and on what differs from Python."""
    page = (root / "docs/cuda_python.md").read_text()
    titles = "The language", "What differs from Python and from numba"
    sections = (page.split(f"## {title}\n")[1].split("\n## ")[0] for title in titles)
    for paragraph in "\n\n".join(sections).split("\n\n"):
        rows = paragraph.strip().splitlines()
        if rows and rows[0].startswith("|"):
            yield from (row for row in rows[2:])
            continue
        text = re.sub(r"^\*\*([^*]+)\.\*\* ", "", " ".join(rows)).replace("**", "")
        yield from filter(None, re.split(r"(?<=[.:]) (?=[A-Z`])", text))


def tests():
    """The names of all tests, and the texts of programs that are refused."""
    for file in folder.glob("*.cpp"):
        yield from re.findall(r'TEST_CASE\("([^"]*)"\)', file.read_text())
    for file in [*(root / "tests/python").glob("dialect_*test.py"), root / "tests/command/cuda_python.py"]:
        yield from re.findall(r"def (test_\w+)", file.read_text())


def citations(name):
    """Pairs of a sentence and the test that is named for it."""
    lines = (folder / name).read_text().splitlines()
    return [line.rsplit(" | ", 1) for line in lines if not line.startswith("#")]


def main():
    if sys.argv[1:] == ["--list"]:
        return print("\n".join(sentences()))
    cited, specified = citations("sentences.txt"), citations("specification.txt")
    names, refused = set(tests()), (folder / "rejected.txt").read_text()
    faults = []
    found = list(sentences())
    for sentence in found:
        if not any(sentence.startswith(begin) for begin, _ in cited):
            faults.append(f"no test is named for: {sentence}")
    for begin, test in cited:
        if sum(sentence.startswith(begin) for sentence in found) != 1:
            faults.append(f"no sentence, or more than one, begins like this: {begin}")
    for _, test in cited + specified:
        if test not in names and test not in refused:
            faults.append(f"there is no such test: {test}")
    print("\n".join(faults) or f"{len(found)} sentences and {len(specified)} of the specification, each with a test")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
