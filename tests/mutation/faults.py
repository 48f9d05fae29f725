# Finds the faults that can be planted in a file of C++, and writes each as a switch.
# SPDX-License-Identifier: Apache-2.0
#
# A fault is an edit of an expression or of a statement: another comparison, another operator, a condition
# turned round, a number greater by one, a call left out. A switch has both: `(planted(7) ? a <= b : a < b)`,
# where planted(7) is true if the environment variable SPIO_FAULT is 7. So one build has many faults, of
# which a process has one or none.
import re

# What is never edited: with a wrong number it might end other processes, or remove other files.
left_alone = re.compile(r"\b(kill|unlink|unlinkat|remove|remove_all|rmdir|exec\w*|setuid|setgid|chown)\(")
files_left_alone = {"process.cpp", "fork.cpp"}
# Nor what changes nothing but how long a program takes, which no test may look at: such an edit is no mistake.
idle = re.compile(r"\b(?:reserve|shrink_to_fit|yield)\(")

# Binary operators, and how loosely each binds. What binds more loosely than it ends an operand.
looseness = {"*": 5, "/": 5, "%": 5, "+": 6, "-": 6, "<<": 7, ">>": 7, "<=>": 8, "<": 9, "<=": 9, ">": 9, ">=": 9,
             "==": 10, "!=": 10, "&": 11, "^": 12, "|": 13, "&&": 14, "||": 15, "?": 16, ":": 16, "=": 16,
             "+=": 16, "-=": 16, "*=": 16, "/=": 16, "|=": 16, "&=": 16}
swaps = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-",
         "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "+=": "-=", "|=": "="}
operator = re.compile(r"(?<=\s)(" + "|".join(sorted(map(re.escape, looseness), key=len, reverse=True)) + r")(?=\s)")
number = re.compile(r"(?<![\w.'\"])\d+(?![\w.'])")
truth = re.compile(r"\b(true|false)\b")
step = re.compile(r"(\+\+)([\w.]+(?:->\w+)*)(?![\w.\[(>-])")
condition = re.compile(r"\b(?:if|while) \(")
call = re.compile(r"^[ \t]*(\w[\w.:>-]*\([^{}\n]*\);)$", re.M)
# Constants, which a compiler computes: a switch has no part in them.
constant = re.compile(r"^[ \t]*(?:\} |static |inline )*constexpr [^()\n]*=", re.M)
# Lines of which no part is chosen at run time.
fixed = re.compile(r"\s*(#|template\b|static_assert\b|using\b|case\b|enum\b|requires\b|import\b|module\b)|.*\bif constexpr\b")

# The numbers of faults are below this.
most_faults = 1 << 16

prelude = """
#ifndef SPIO_PLANTED
#define SPIO_PLANTED
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__CUDA__)
constexpr bool spio_planted(int) { return false; }
#else
#pragma clang diagnostic ignored "-Weverything"
extern "C" char* spio_variable(char const*) __asm__("getenv");
extern "C" int spio_number(char const*) __asm__("atoi");
extern "C" int spio_opened(char const*, int, ...) __asm__("open");
extern "C" int spio_closed(int) __asm__("close");
extern "C" void* spio_mapped(void*, unsigned long, int, int, int, long) __asm__("mmap");
struct spio_fault {
    int number = 0;
    unsigned char* reached = nullptr; // a byte of a file for each fault, which all processes share
};
__attribute__((no_sanitize("thread"), noinline)) inline spio_fault spio_chosen_fault() {
    spio_fault chosen;
    if (auto const* const text = spio_variable("SPIO_FAULT")) chosen.number = spio_number(text);
    auto const* const name = spio_variable("SPIO_FAULT_MARKS");
    int const file = name ? spio_opened(name, 02 | 02000000) : -1;
    if (file < 0) return chosen;
    void* const bytes = spio_mapped(nullptr, MOST_MARKS, 3, 1, file, 0);
    spio_closed(file);
    if (bytes != reinterpret_cast<void*>(-1L)) chosen.reached = static_cast<unsigned char*>(bytes);
    return chosen;
}
__attribute__((no_sanitize("thread"), noinline)) inline bool spio_is_planted(int fault) {
    static spio_fault const chosen = spio_chosen_fault();
    if (chosen.reached) chosen.reached[fault] = 1;
    return fault == chosen.number;
}
constexpr bool spio_planted(int fault) {
    return !__builtin_is_constant_evaluated() && spio_is_planted(fault);
}
#endif
#endif
""".replace("MOST_MARKS", str(most_faults))


class Fault:
    """An edit of a file's text from `start` to `end`: what stands there, the same with the fault, and how both are switched."""

    def __init__(self, path, start, end, old, new):
        self.path, self.start, self.end, self.old, self.new = path, start, end, old, new

    def text(self, number):
        """C++ that does what stood there, or the fault if the fault of this number is chosen."""
        planted = f"spio_planted({number})"
        if self.old.endswith(";"):
            return f"{{ if ({planted}) {{ {self.new} }} else {{ {self.old} }} }}"
        # A condition may be no bool, and a value nothing else than what it is.
        if self.new.startswith("!("):
            return f"{planted} ? ({self.new}) : static_cast<bool>({self.old})"
        return f"({planted} ? ({self.new}) : ({self.old}))"


def code_of(text):
    """The text with comments and literals blanked, each character where it was."""
    pattern = r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/'
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", "\0", found[0]), text)


def operand_start(code, position, level):
    """Where the left operand of an operator begins that binds so loosely."""
    depth, i = 0, position
    while i > 0:
        i -= 1
        c = code[i]
        if c in ")]}":
            if depth == 0 and c == "}" and code[i + 1] == "\n":
                return i + 1
            depth += 1
        elif c in "([{":
            if depth == 0:
                return i + 1
            depth -= 1
        elif depth == 0:
            if c in ";,":
                return i + 1
            if code[i - 1].isspace() and code.startswith("return", i) and not code[i + 6].isalnum():
                return i + 6
            found = operator.match(code, i) if code[i - 1].isspace() else None
            if found and looseness[found[0]] > level:
                return i + len(found[0])
    return 0


def operand_end(code, position, level):
    """Where the right operand of an operator ends that binds so loosely."""
    depth, i = 0, position
    while i < len(code):
        c = code[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return i
            depth -= 1
        elif depth == 0:
            if c in ";,":
                return i
            found = operator.match(code, i) if code[i - 1].isspace() else None
            if found and looseness[found[0]] >= level:
                return i
        i += 1
    return len(code)


def is_overwritten(code, position):
    """Whether the number at the position is the first value of a variable whose address a call is given next, to write there."""
    named = re.search(r"[\w>] (\w+) = \Z", code[max(0, position - 80):position])
    following = named and re.search(rf"(?<=[(,])\s*&?{named[1]}\b|\b{named[1]}\b", code[position:])
    return bool(following) and following[0].strip() == "&" + named[1]


def closing(code, position):
    """Where the bracket is closed that opens at the position."""
    depth = 0
    for i in range(position, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if depth == 0:
            return i
    return len(code)


def faults_of(path):
    """Every fault of the file."""
    text = path.read_text()
    code = code_of(text)
    body = re.search(r"^(inline |constexpr )?namespace\b", code, re.M)
    constants = [(found.start(), code.find(";", operand_end(code, found.end(), level=17))) for found in constant.finditer(code)]

    def fault(start, end, new):
        return Fault(path, start, end, text[start:end], new)

    def is_editable(position):
        start = code.rfind("\n", 0, position) + 1
        line = code[start:code.find("\n", position)]
        is_parameter = re.search(r"\w<[^<>;()]*$|[\w\])]\[[^\]]*$|\baxis<\w+>\([^()]*$", code[start:position]) and re.match(r".*[>\])]", line[position - start:])
        if any(first <= position < last for first, last in constants):
            return False
        return not fixed.match(line) and not left_alone.search(line) and not idle.search(line) \
            and not is_parameter

    if body is None:
        return
    for found in operator.finditer(code, body.end()):
        if found[0] in swaps and is_editable(found.start()):
            level = looseness[found[0]]
            left, right = operand_start(code, found.start(), level), operand_end(code, found.end(), level)
            left += len(code[left:]) - len(code[left:].lstrip(" \n\t"))
            if found[0] in "+-" and re.search(r"\0|string|_text|format", code[left:right]):
                continue  # texts, which nothing is subtracted from
            yield fault(left, right, text[left:found.start()] + swaps[found[0]] + text[found.end():right])
    for found in number.finditer(code, body.end()):
        if is_editable(found.start()) and not is_overwritten(code, found.start()):
            yield fault(found.start(), found.end(), str(int(found[0]) + 1))
    for found in truth.finditer(code, body.end()):
        if is_editable(found.start()):
            yield fault(found.start(), found.end(), "false" if found[0] == "true" else "true")
    for found in step.finditer(code, body.end()):
        if is_editable(found.start()):
            yield fault(found.start(), found.end(), "--" + found[2])
    for found in condition.finditer(code, body.end()):
        end = closing(code, found.end() - 1)
        if is_editable(found.start()) and ";" not in code[found.end():end]:
            yield fault(found.end(), end, f"!({text[found.end():end]})")
    for found in call.finditer(code, body.end()):
        is_whole = code.count("(", *found.span(1)) == code.count(")", *found.span(1))
        is_statement = re.search(r"[;{}:)]\s*\Z", code[max(0, found.start() - 400):found.start(1)])
        if is_editable(found.start(1)) and is_whole and is_statement:
            yield fault(found.start(1), found.end(1), "")


def rewritten(text, numbered):
    """The text with these faults as switches, pairs of a number and a fault, none within another."""
    for number_of_fault, fault in sorted(numbered, key=lambda pair: -pair[1].start):
        text = text[: fault.start] + fault.text(number_of_fault) + text[fault.end :]
    # A constant that a switch gives its value is one no longer.
    text = re.sub(r"^(\s*(?:static |inline )*)constexpr (?=[^()\n]*=[^;]*spio_planted)", r"\1const ", text, flags=re.M)
    body = re.search(r"^(inline |constexpr )?namespace\b", code_of(text), re.M)
    return text[: body.start()] + prelude.lstrip() + text[body.start() :]
