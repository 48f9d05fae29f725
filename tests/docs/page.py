# Runs what a page of the documentation shows: its programs, its commands and its excerpts.
# SPDX-License-Identifier: Apache-2.0
"""page.py PAGE --build FOLDER --prefix FOLDER --work FOLDER --cuda FOLDER --clang FILE --nvcc FILE --cmake FILE

What a fenced block is follows from its language, and from an HTML comment right above it:

    <!-- from FILE -->   an excerpt of FILE, whose lines it has in their order; … stands for any lines
    <!-- into FILE -->   written to FILE, for the commands that come later
    <!-- wrong SED -->   what nvcc says to the softmax of examples/ after this edit of its body
    cpp                  with main(): compiled, linked and run. Without: checked by the compiler; a
                         block without an #include or import continues the program before it
    cuda                 compiled by nvcc
    sh                   run, all lines by one shell, which must succeed
    console              lines after `$ ` are run; the others are what they print, whatever their status
    text                 what the program or the commands before it print
    json                 is JSON

In expected output … is any text, on a line of its own any lines; figures before ms, us and bytes are
not compared. A page is run in a folder that looks like a checkout where build/dev is this build and
build/prefix is the installed library. Lines that cannot be run stand in `not_run`, with the reason.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from blocks import blocks_of, unlike_output, unlike_source

root = pathlib.Path(__file__).resolve().parent.parent.parent

full_build = "builds or installs everything, as CI does"
installing = "consumers.install does it, and build/prefix is what it installed"
building = "consumers.shipping does it"
not_run = {
    r"\./bootstrap\b.*": full_build,
    r"git clone .*": "needs the network",
    r"cmake -S \. -B build/library\b.*": installing,
    r"cmake --build build/library\b.*": installing,
    r"cmake --install build/library\b.*": installing,
    r"cmake -S examples/(softmax|deploy) .*": building,
    r"cmake --build build/(softmax|deploy)": building,
    r"cmake --preset .*|cmake --build --preset .*|ctest --preset .*": full_build,
    r"python3 bench/(conv2d/run|launch|matmul/run|matmul/ablation)\.py .*": "needs a GPU",
    r"pip install .*(\./python|build/package/spio-\*\.whl|'torch>=2\.10')": "python.wheel builds it",
    r"python -m spio\.bench .*": "python.bench runs it beside PyTorch",
    r".*\bspio run .*--time\b.*": "needs a GPU",
    r"spio tune .*": "needs a GPU",
    r"python3 tests/command/attacks\.py .*": "the nightly test consumers.attacks does it",
    r"python3 bench/models/sweep\.py .*": "needs a GPU",
    r"python3 bench/models/plan\.py .*": "writes a plan for a sweep, which needs a GPU",
    r"build/release/bench/bench_matmul .*": "needs a GPU",
    r"build/models/bin/python bench/models/(train|disputed)\.py .*": "needs XGBoost",
    r"source <\(spio completion .*": "is a line of a shell's own start file",
}


nvcc_flags = ["-std=c++20", "--expt-relaxed-constexpr", "-arch=sm_80", "-Ibuild/prefix/include",
              "-Ibuild/prefix/include/spio/kernels"]


def reason_not_to_run(line):
    """Why a line of a shell is not run here; None if it is."""
    return next((reason for pattern, reason in not_run.items() if re.fullmatch(pattern, line)), None)


class Page:
    """A page, what its blocks have run so far, and what failed."""

    def __init__(self, options):
        self.options = options
        self.name = options.page.relative_to(root).as_posix()
        self.folder = options.work.resolve() / options.page.stem
        self.program = None  # of cpp blocks, not compiled yet
        self.printed = None  # by the last program or command
        self.counts = {}
        self.skipped = []
        self.failures = []
        self.lay_out()

    def lay_out(self):
        """Makes the folder that looks like a checkout, and the environment of commands."""
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "build").mkdir(parents=True)
        for path in root.iterdir():
            if path.name != "build" and not path.name.startswith("."):
                (self.folder / path.name).symlink_to(path)
        (self.folder / "build" / "dev").symlink_to(self.options.build.resolve())
        (self.folder / "build" / "prefix").symlink_to(self.options.prefix.resolve())
        # Projects that the tests of consumers build.
        consumers = self.options.prefix.resolve().parent
        for name in ("softmax", "deploy"):
            folder = self.folder / "build" / name
            folder.mkdir()
            for program in (consumers / "shipping" / name / "Release").glob("*"):
                (folder / program.name).symlink_to(program)
        # The daily tests install softmax without its command, which then comes from the build.
        own_command = self.folder / "build" / "softmax" / "softmax_spio"
        if not own_command.exists():
            own_command.symlink_to(self.options.build.resolve() / "examples" / "softmax" / "softmax_spio")
        cache = self.folder / "build" / "cache"
        cache.mkdir(mode=0o700)
        places = [self.options.build / "command", self.options.nvcc.parent, self.options.cmake.parent]
        keep = {name: value for name, value in os.environ.items()
                if not name.startswith("SPIO_") and name not in ("CXX", "CXXFLAGS", "CUDA_PATH")}
        self.environment = keep | {
            "PATH": ":".join([*map(str, places), os.environ["PATH"]]),
            "CUDA_HOME": str(self.options.cuda),
            "SPIO_CACHE_DIR": str(cache),
            "ASAN_OPTIONS": "detect_leaks=0",  # NVRTC leaks
        }

    def run(self, *command):
        """Runs a command in the page's folder: its exit status, and what it printed."""
        result = subprocess.run(list(map(str, command)), cwd=self.folder, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return result.returncode, result.stdout

    def fail(self, block, reason):
        """Notes that a block is not as it says."""
        self.failures.append(f"{self.name}:{block.number}: {reason}")

    def succeed(self, block, *command):
        """Runs a command that must succeed, and returns what it printed."""
        status, printed = self.run(*command)
        if status != 0:
            self.fail(block, f"{' '.join(map(str, command))} ends with {status}\n{printed}")
        return printed

    def count(self, kind, number=1):
        self.counts[kind] = self.counts.get(kind, 0) + number

    # Programs

    def finish_program(self):
        """Compiles and runs the C++ program that the blocks before have written, if there is one."""
        if self.program is None:
            return
        (block, text), self.program = self.program, None
        file = self.folder / f"program_{block.number}.cpp"
        file.write_text(text)
        command = [self.options.clang, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-const-variable",
                   "-Ibuild/prefix/include"]
        if re.search(r"^import spio\.dims;", text, re.M):
            module = self.folder / "spio.dims.pcm"
            if not module.exists():
                self.succeed(block, self.options.clang, "-std=c++20", "-Ibuild/prefix/include", "--precompile",
                             "build/prefix/share/spio/modules/dims.cppm", "-o", module)
            command.append(f"-fmodule-file=spio.dims={module}")
        self.count("programs")
        if not re.search(r"\bint main\(", text):
            self.succeed(block, *command, "-fsyntax-only", file)
            return
        self.succeed(block, *command, "-O1", file, "-o", file.with_suffix(""))
        self.printed = self.succeed(block, file.with_suffix(""))

    def cpp(self, block):
        """Begins a program with this block, or continues the one before it."""
        if re.search(r"^(#include|import) ", block.text, re.M) or self.program is None:
            self.finish_program()
            self.program = (block, block.text)
        else:
            self.program = (self.program[0], self.program[1] + block.text)

    def cuda(self, block):
        """Compiles a kernel."""
        file = self.folder / f"kernel_{block.number}.cu"
        file.write_text(block.text)
        self.count("kernels")
        self.succeed(block, self.options.nvcc, *nvcc_flags, "-cubin", file, "-o", file.with_suffix(".cubin"))

    # Commands

    def commands(self, block, lines):
        """Those of the lines that can be run."""
        for line in lines:
            reason = reason_not_to_run(line.strip())
            if reason:
                self.skipped.append(f"{line.strip()}: {reason}")
            else:
                yield line

    def sh(self, block):
        """Runs the commands of a block; they must succeed."""
        # Pages name the usual place of CUDA, which may be elsewhere.
        lines = [line.replace("/usr/local/cuda", str(self.options.cuda)) for line in self.commands(block, block.lines)]
        if lines:
            self.count("commands", sum(bool(line.strip()) for line in lines))
            self.printed = self.succeed(block, "bash", "-euc", "\n".join(lines))

    def console(self, block):
        """Runs the commands of a block, and compares what each prints with the lines below it."""
        command, wanted = None, []

        def compare():
            if command is None or not list(self.commands(block, [command])):
                return
            self.count("commands")
            status, printed = self.run("bash", "-uc", command)
            difference = unlike_output(wanted, printed)
            if difference:
                self.fail(block, f"{command}: {difference}\nIt printed, and ended with {status}:\n{printed}")

        for line in block.lines:
            if line.startswith("$ "):
                compare()
                command, wanted = line[2:], []
            else:
                wanted.append(line)
        compare()

    def output(self, block):
        """Compares a block with what was printed last."""
        self.count("outputs")
        if self.printed is None:
            self.fail(block, "nothing was run that could have printed this")
        elif difference := unlike_output(block.lines, self.printed):
            self.fail(block, f"{difference}\nIt printed:\n{self.printed}")

    # Excerpts and files

    def excerpt(self, block):
        """Checks that a block is an excerpt of the file that its comment names."""
        self.count("excerpts")
        if not (root / block.file).exists():
            self.fail(block, f"there is no {block.file}")
        elif difference := unlike_source(block.lines, (root / block.file).read_text()):
            self.fail(block, f"no excerpt of {block.file}: {difference}")

    def wrong(self, block):
        """Checks what nvcc says to an edited kernel; block.file holds the edit, a command of sed."""
        self.count("errors")
        family = self.folder / "build" / "wrong" / "softmax"
        shutil.copytree(root / "examples" / "softmax" / "softmax", family, dirs_exist_ok=True)
        self.succeed(block, "sed", "-i", block.file, family / "softmax.cuh")
        kernel = pathlib.Path("build/wrong/kernel.cu")
        (self.folder / kernel).write_text('#include "softmax/softmax.cuh"\n'
                                          "__global__ void kernel(softmax::params p) {\n"
                                          "    softmax::run<softmax::problem{1000}>(p);\n}\n")
        status, printed = self.run(self.options.nvcc, *nvcc_flags, "-Ibuild/wrong", "-cubin", kernel, "-o",
                                   kernel.with_suffix(".cubin"))
        if status == 0:
            self.fail(block, f"it compiles after {block.file}")
        elif difference := unlike_output(block.lines, printed):
            self.fail(block, f"{difference}\nIt printed:\n{printed}")

    def check(self, block):
        """Does with one block what its comment or its language says."""
        if block.verb in ("from", "wrong"):
            getattr(self, {"from": "excerpt", "wrong": "wrong"}[block.verb])(block)
        elif block.verb == "into":
            path = self.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        elif block.language in ("cpp", "cuda", "sh", "console"):
            getattr(self, block.language)(block)
        elif block.language == "text":
            self.finish_program()
            self.output(block)
        elif block.language == "json":
            json.loads(block.text)
        else:
            self.fail(block, f"a block of '{block.language}' needs a comment that says what to do with it")

    def check_links(self):
        """Checks that each file which the page links to exists."""
        text = re.sub(r"^```.*?^```", "", self.options.page.read_text(), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in link:
                self.count("links")
                if not (self.options.page.parent / link).exists():
                    self.failures.append(f"{self.name}: there is no {link}")

    def check_all(self):
        self.check_links()
        for block in blocks_of(self.options.page):
            self.check(block)
        self.finish_program()
        for line in self.skipped:
            print("not run:", line)
        print(f"summary: docs.{self.name}:", ", ".join(f"{count} {kind}" for kind, count in self.counts.items()))
        if self.failures:
            sys.exit("\n".join(self.failures))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    for name in ("build", "prefix", "work", "cuda", "clang", "nvcc", "cmake"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.page = options.page.resolve()
    Page(options).check_all()


if __name__ == "__main__":
    main()
