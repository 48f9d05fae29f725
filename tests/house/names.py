# Finds variables, parameters and members that are named by a preposition, a pronoun or an auxiliary.
# SPDX-License-Identifier: Apache-2.0
"""Declarations are recognized by their tokens, without a compiler: a name follows a type, or stands
in a structured binding, in an init-capture or behind a comma of a declaration. It relies on spacing as
clang-format leaves it: `int& a` declares, `b & a` computes. Python's own parser reads Python."""
import ast
import bisect
import re

words = frozenset("""
    of at by in on before after from to with into onto over under above below beneath beside between
    behind beyond within without through against among along around across during until since upon off
    it its he him his she her we us our they them their theirs that these those
    who whom whose which what someone nobody nothing something anything everything
    is are was were been be has have had does did could may might must shall should would
    here there where when then thus never always yet still again once twice how why
    given made kept read both whole all each one
""".split())
# As the variable of a loop over a collection, whose noun is at hand.
loop_words = frozenset({"each", "one"})

# What stands before a name that is used, not declared, or that is the name of something else.
other_keywords = frozenset("""
    return throw case else new delete goto operator import module export namespace typename class struct
    union enum concept using requires co_return co_yield co_await and or not xor sizeof alignof noexcept
    do public private protected virtual if while switch template friend default typedef
    static_assert decltype override final inline explicit
""".split())

token_pattern = re.compile(r"""
      (?P<skip> //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:\\\n|[^\n])*)
    | (?P<text> (?:u8|[uUL])?R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+')
    | (?P<number> \.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*)
    | (?P<name> [A-Za-z_]\w*)
    | (?P<sign> ::|->|\.\.\.|<<=|>>=|<=>|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|<<|[^\s\w])
""", re.X | re.S | re.M)

opening, closing = {"(": ")", "[": "]", "{": "}"}, set(")]}")


class token_list:
    """The tokens of a text, the space between them, and the bracket in which each stands."""

    def __init__(self, text):
        self.words, self.spans, kinds = [], [], []
        for match in token_pattern.finditer(text):
            if match.lastgroup == "skip":
                continue
            self.words.append(match[0])
            self.spans.append(match.span())
            kinds.append(match.lastgroup)
        self.is_name = [kind == "name" for kind in kinds]
        self.enclosing, self.partner, stack = [], {}, []
        for index, word in enumerate(self.words):
            if word in closing and stack:
                self.partner[stack[-1]] = index
                stack.pop()
            self.enclosing.append(stack[-1] if stack else -1)
            if word in opening:
                stack.append(index)

    def word(self, index):
        """The token with this number; empty before the first and after the last."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def has_space_before(self, index):
        return index > 0 and self.spans[index - 1][1] < self.spans[index][0]


def ends_type(tokens, index):
    """Whether a type may end with this token, and what follows is declared with it."""
    word = tokens.word(index)
    if index < 0 or not tokens.has_space_before(index + 1):
        return False
    if tokens.is_name[index]:
        return word not in other_keywords
    # `a > b` and `a & b` have a space before the operator, as a type's end has not.
    return word in {">", "&", "*", "&&", "..."} and not tokens.has_space_before(index)


def is_reference(tokens, index):
    """Whether this is the sign of `auto const &one = f(), &two = g();`, as clang-format spaces several."""
    return tokens.word(index) in {"&", "*", "&&"} and tokens.word(index - 1) in {"const", "auto"}


def is_in_body(tokens, index):
    """Whether the block around this token is of statements, as that of a class or a namespace is not."""
    bracket = tokens.enclosing[index]
    return tokens.word(bracket) == "{" and tokens.word(bracket - 1) in {")", "const", "else", "do", "try", "mutable"}


def declares(tokens, index):
    """Whether the name at this index is declared there."""
    if not ends_type(tokens, index - 1) and not is_reference(tokens, index - 1):
        return False
    follower = tokens.word(index + 1)
    if follower == "(":
        # `config const by(3)` declares an object, and so does `config by(3)` in a body; elsewhere it is a function.
        return tokens.word(index - 1) == "const" or is_in_body(tokens, index)
    if follower == ">":
        return not tokens.has_space_before(index + 1)
    return follower in {";", ",", ")", "=", "{", "[", ":", "..."}


def is_statement(tokens, index):
    """Whether commas around this token part declarators, as parameters' do not."""
    bracket = tokens.enclosing[index]
    return tokens.word(bracket) in {"", "{"} or tokens.word(bracket - 1) == "for"


def more_declarators(tokens, index):
    """The names behind the commas of the declaration of which this token is the first name."""
    depth = tokens.enclosing[index]
    index += 1
    while tokens.word(index) not in {"", ";", ":"} and tokens.enclosing[index] == depth:
        if tokens.word(index) in opening:
            index = tokens.partner.get(index, len(tokens.words))
        elif tokens.word(index) == ",":
            while tokens.word(index + 1) in {"*", "&"}:
                index += 1
            if tokens.word(index + 2) in {";", ",", "=", "{", "[", "("}:
                yield index + 1
        index += 1


def bindings(tokens, index):
    """The names of a structured binding that begins with this bracket."""
    start = index - 1
    while tokens.word(start) in {"&", "&&", "const"}:
        start -= 1
    if tokens.word(start) == "auto":
        yield from range(index + 1, tokens.partner.get(index, index + 1))


def init_captures(tokens, index):
    """The names that the captures of a lambda, which begin with this bracket, declare."""
    end = tokens.partner.get(index, index)
    if tokens.word(end + 1) not in {"(", "{", "<", "mutable"}:
        return
    for sign in range(index + 1, end):
        is_own = tokens.enclosing[sign] == index and tokens.word(sign) == "="
        if is_own and tokens.word(sign - 2) in {"[", ",", "&", "..."}:
            yield sign - 1


def declared(tokens):
    """The indices of all names that are declared."""
    for index, word in enumerate(tokens.words):
        if word == "[":
            yield from bindings(tokens, index)
            yield from init_captures(tokens, index)
        elif tokens.is_name[index] and declares(tokens, index):
            yield index
            if is_statement(tokens, index):
                yield from more_declarators(tokens, index)


def forbidden_names(text):
    """Yields (line, name) of each declaration whose name says no noun."""
    tokens = token_list(text)
    lines = [match.start() for match in re.finditer("\n", text)]
    for index in sorted(set(declared(tokens))):
        word = tokens.word(index)
        if word in words and not (word in loop_words and tokens.word(index + 1) == ":"):
            yield bisect.bisect(lines, tokens.spans[index][0]) + 1, word


def forbidden_python_names(text):
    """Yields (line, name) of each parameter, variable and attribute whose name says no noun."""
    tree = ast.parse(text)
    loops = {id(node.target) for node in ast.walk(tree) if isinstance(node, (ast.For, ast.comprehension))}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = "" if id(node) in loops and node.id in loop_words else node.id
        else:
            continue
        if name in words:
            yield node.lineno, name
