# The error of spio.cuda, and the functions by which the library raises it.
# SPDX-License-Identifier: Apache-2.0
#
# The library is the part of spio.cuda that is written in C++; the interpreter runs kernels where there is no
# GPU. A rule is a section of docs/cuda_python.md.
import re


class Error(RuntimeError):
    """What a kernel, its arguments or a device refuse.

    `kind` is invalid, not_found, unsupported, no_compiler, cold_kernel, tool_failed, device, misuse, io or
    internal. For a program that is not CUDA Python, `rule` is the section of docs/cuda_python.md that it breaks,
    `message` says how, and `file`, `line` and `column` say where; the text has that line, too.
    """

    def __init__(self, text, kind="invalid", rule=None, message=None, file=None, line=None, column=None):
        super().__init__(text)
        self.kind = kind
        self.rule = rule
        self.message = message or text
        self.file = file
        self.line = line
        self.column = column


# Raises what C++ has thrown. A misuse is a wrong access that the interpreter has found: its reason begins
# with a place.
def raise_failure(kind, text, reason):
    place = re.match(r"(.+?):(\d+):(\d+): (.*)", reason) if kind == "misuse" else None
    if place is None:
        raise Error(text, kind) from None
    file, line, column, message = place.groups()
    raise Error(text, kind, "execution", message, file, int(line), int(column)) from None


# Raises what the compiler says of a place in a kernel's text.
def raise_diagnostic(text, rule, message, file, line, column):
    raise Error(text, "invalid", rule, message, file, line, column) from None


def raise_in_source(rule, message, file, line, column, text):
    """Raises the error for a line of a source, as the compiler spells its own."""
    mark = len(text) - len(text.lstrip())
    excerpt = f"    {text.strip()}\n    {' ' * max(column - 1 - mark, 0)}^\n"
    raise_diagnostic(f"{file}:{line}:{column}: {rule}: {message}\n{excerpt}", rule, message, file, line, column)
