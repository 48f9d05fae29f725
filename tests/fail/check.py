# Compiles, with one compiler, what must not compile, and looks for the error that the compiler should give.
# SPDX-License-Identifier: Apache-2.0
"""check.py --compiler NAME --work DIR [--every N] CASE... -- COMMAND...

{file} in COMMAND stands for the file to compile. A case begins with what to expect:

    // error: Dimension=I, NotThatDimension=J.*deleted
    // error of clang: ...     the same for one compiler, or for several: // error of nvcc, nvrtc: ...
    // compiles                a control

The regular expression must match one line of what the compiler says, other than an echo of the
source; spaces around `=` do not count, and template arguments that g++ lists behind a function are
put behind its name. An error must stand on the one line of the case that ends in `// wrong`. All cases without that line, and all controls, make up one file, which must compile.
With --every N are tried the cases that have a sentence for this compiler, and every N-th of the others.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys


def readings(line):
    """A line in the forms that other compilers give it. g++ writes `deleted function ‘f(T) [with T =
    {K}; int N = 4]’`, others `f<<K>, 4>(T)` or `f(T) [with T=<K>, N=4]`, and then `deleted`."""
    line = line.replace(" = ", "=").translate({ord("‘"): "'", ord("’"): "'"})
    line = line.replace("spio::", "").replace("> >", ">>")
    line = re.sub(r"(cannot convert|non-scalar type)", lambda m: "from" if m[1][0] == "c" else "", line)
    line = line.replace("to  '", "to '")
    match = re.search(r"\[with (?P<arguments>.*)\]", line)
    if not match:
        return [line]
    arguments = re.sub(r"(^|; )[\w ]+ (\w+=)", r"\1\2", match["arguments"])
    arguments = re.sub(r"=\{(.*?)\}(;|$)", r"=<\1>\2", arguments).split("; ")
    call = line[: match.start()]
    rest = " deleted" if "deleted" in line else ""
    named = re.sub(r"(\([^()]*\)[ a-z&]*)$", lambda tail: f"<{', '.join(arguments)}>{tail[1]}", call)
    listed = [", ".join(arguments[: n + 1]) for n in range(len(arguments))]
    return [named + rest] + [f"{call}[with {text}]{rest}" for text in listed]


class Case:
    """A file that must not compile, with the error that this compiler should give; or a control, which must."""

    def __init__(self, file, compiler):
        self.file = file
        self.compiler = compiler
        self.lines = file.read_text().splitlines()
        self.wrong = [number for number, line in enumerate(self.lines, 1) if line.endswith("// wrong")]
        self.sentence = None
        self.has_own_sentence = False
        for line in self.lines:
            match = re.fullmatch(r"// error(?: of (?P<compilers>[a-z, -]+))?: (?P<sentence>.+)", line)
            if not match or line.startswith("// SPDX"):
                break
            names = (match["compilers"] or "").split(", ")
            if compiler in names or (not match["compilers"] and not self.sentence):
                self.sentence = match["sentence"]
                self.has_own_sentence |= compiler in names
        is_control = self.lines[0] == "// compiles"
        if len(self.lines) > 15:
            sys.exit(f"{file}: a case has at most fifteen lines")
        if len(self.wrong) != (0 if is_control else 1) or is_control != (self.sentence is None):
            sys.exit(f"{file}: one wrong line and its sentence for {compiler}, or `// compiles`")

    def rest(self):
        """The case without its wrong line, in a namespace of its own."""
        lines = ["" if line.endswith("// wrong") else line for line in self.lines]
        return "\n".join([f"namespace {self.file.stem} {{", f'#line 1 "{self.file}"', *lines, "}", ""])

    def flaw(self, status, output):
        """Why the output of a compiler is not what the case expects; empty if it is."""
        line = self.wrong[0]
        place = re.escape(self.file.name) + rf"(\({line}\): |:{line}:\d+: +)(error|in ‘constexpr’ expansion)"
        lines = [line for line in output.splitlines() if "// wrong" not in line]
        sentence = self.sentence
        if self.compiler == "gcc":
            lines = [form for line in lines for form in readings(line)]
            sentence = sentence.replace("spio::", "")
        else:
            lines = [line.replace(" = ", "=") for line in lines]
        if status == 0:
            return "compiles"
        if not re.search(place, output):
            return f"has no error on line {self.wrong[0]}"
        if not any(re.search(sentence, line) for line in lines):
            return f"is not refused with: {self.sentence}"
        return ""


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    options = parser.parse_args(sys.argv[1:split])
    command = sys.argv[split + 1 :]

    def compile(file):
        words = [word.replace("{file}", str(file)) for word in command]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    cases = [Case(file, options.compiler) for file in options.cases]
    refused = [case for case in cases if case.wrong]
    refused = [case for number, case in enumerate(refused)
               if case.has_own_sentence or number % options.every == 0]
    options.work.mkdir(parents=True, exist_ok=True)
    controls = options.work / "controls.cu"
    includes = {line: None for case in cases for line in case.lines if line.startswith("#include")}
    controls.write_text("\n".join([*includes, ""]) + "".join(case.rest() for case in cases))

    failures = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        the_rest = pool.submit(compile, controls)
        for case, answer in zip(refused, pool.map(compile, (case.file for case in refused))):
            flaw = case.flaw(*answer)
            if flaw:
                failures.append(f"FAIL {case.file.name} {flaw}\n{answer[1]}")
        status, output = the_rest.result()
    print(*failures, sep="\n", end="")
    if status != 0:
        print("FAIL the controls, and the cases without what is wrong, do not compile", output, sep="\n")
    print(f"summary: fail.{options.compiler}: {len(refused) - len(failures)} of {len(refused)} cases "
          f"refused with their sentence, {len(cases) - len(refused)} controls "
          f"{'compile' if status == 0 else 'DO NOT compile'}")
    return bool(failures) or status != 0


sys.exit(main())
