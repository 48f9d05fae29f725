# The fenced blocks of a page, and how what they show is compared with what is.
# SPDX-License-Identifier: Apache-2.0
#
# A page's block is an excerpt of a file or what a command prints. A line with … stands for lines that are
# left out, and measured figures may differ.
import re

elision = ("…", "// …", "# …")
figure = r"[0-9.]+(?= (?:ms|us|s|bytes|MB|kB)\b)"


class Block:
    """A fenced block of a page. `number` is the line of its fence; `directive`, the comment above it, is
    (from, FILE), (into, FILE) or (wrong, EDIT), or None. page.py says what they mean."""

    def __init__(self, number, language, directive, lines):
        self.number, self.language, self.lines = number, language, lines
        self.verb, self.file = directive or (None, None)
        self.text = "\n".join(lines) + "\n"


def blocks_of(page):
    """The blocks of a Markdown file, in order."""
    lines = page.read_text().splitlines()
    blocks, directive, number = [], None, 0
    while number < len(lines):
        comment = re.fullmatch(r"<!-- (from|into|wrong) (.+) -->", lines[number])
        fence = re.fullmatch(r"```(\S*)", lines[number])
        if comment:
            directive = (comment[1], comment[2])
        elif fence:
            end = lines.index("```", number + 1)
            blocks.append(Block(number + 1, fence[1], directive, lines[number + 1 : end]))
            number, directive = end, None
        elif lines[number]:
            directive = None
        number += 1
    return blocks


def expression_of(line):
    """What a line of output must be: … is any text, and measured figures may differ."""
    parts = re.split(rf"(…|{figure})", line.rstrip())
    return "".join({"…": ".*"}.get(part, r"[0-9.]+") if number % 2 else re.escape(part)
                   for number, part in enumerate(parts))


def unlike(wanted, found, expression):
    """Why the lines found are not those wanted, with elisions between; None if they are."""
    chunks = [[]]
    for line in wanted:
        if line.strip() in elision:
            chunks.append([])
        else:
            chunks[-1].append(line)
    position = 0
    for number, chunk in enumerate(chunks):
        is_first, is_last = number == 0, number == len(chunks) - 1
        fits = lambda start: all(re.fullmatch(expression(line), text) for line, text in zip(chunk, found[start:]))
        end = len(found) - len(chunk)
        starts = range(position, end + 1)
        if is_first:
            starts = starts[:1]
        if is_last and chunk:
            starts = [start for start in starts if start == end]
        start = next(filter(fits, starts), None)
        if start is None or (is_first and is_last and start != end):
            return f"this is not there, or not in its place:\n" + "\n".join(chunk)
        position = start + len(chunk)
    return None


def unlike_output(wanted, printed):
    """Why the printed text is not what the lines wanted say; None if it is."""
    return unlike(wanted, [line.rstrip() for line in printed.splitlines()], expression_of)


def unlike_source(wanted, source):
    """Whether the lines are an excerpt, at whatever indentation, of comments too, and blank lines aside."""
    bare = lambda line: line.strip() if line.strip() in elision else re.sub(r"^(//|#)\s*", "", line.strip())
    strip = lambda lines: [bare(line) for line in lines if bare(line)]
    return unlike(["…", *strip(wanted), "…"], strip(source.splitlines()), re.escape)
