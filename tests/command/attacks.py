# Attacks the installed command as another user could, with values that a seed draws.
# SPDX-License-Identifier: Apache-2.0
"""python3 attacks.py PREFIX CUDA FOLDER [SEED [ROUNDS]]

PREFIX is where the command is installed; FOLDER is for what is planted, and nobody but its owner and
root may write to the folders above it. Run by root, the victims are root and an unprivileged user,
and files change their owner too; otherwise the victim is who runs this, and only their mode changes.

Whatever an attacker has planted leaves a mark, a file, if it is executed. An attack has failed if there
is no mark, the command ends in time with a status of its own, and says what it refuses.

The command `spio` compiles kernels and runs them; on the host device, a GPU simulated on the CPU, from the
installed headers. A pack is a file of compiled kernels, a manifest lists some, a cache keeps them."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

seconds = 120  # the time for one command, which compiles kernels
unprivileged, attacker = 65534, 65533  # ids of users; 65534 is "nobody"
statuses = {0, 1, 2, 3, 4, 5}  # that the command may end with; a crash has another


class Attacks:
    """The attacks on one victim at a time, the id of a user or None for who runs this; failures are counted."""

    def __init__(self, prefix, cuda, folder, seed):
        self.installed, self.cuda, self.folder = prefix, cuda, folder
        self.random = random.Random(seed)
        self.is_root = os.geteuid() == 0
        self.mark = folder / "mark"
        self.count, self.failures = 0, []
        self.victim = None

    def run(self, *words, program=None, cwd=None, ignores_children=False, sanitized=True, **variables):
        """Runs spio as the victim with these environment variables; returns its status and what it prints."""
        def become():
            if ignores_children:
                signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            if self.victim is not None:
                os.setgroups([])
                os.setgid(self.victim)
                os.setuid(self.victim)

        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "CUDA_HOME": str(self.cuda),
                       "ASAN_OPTIONS": "detect_leaks=0", "SPIO_CACHE_DIR": str(self.home / "cache"), **variables}
        try:
            result = subprocess.run([program or self.prefix / "bin" / "spio", *map(str, words)], timeout=seconds,
                                    cwd=cwd or self.home, env=environment, preexec_fn=become, stdin=subprocess.DEVNULL,
                                    capture_output=True)
        except subprocess.TimeoutExpired:
            self.fail(f"spio {words} does not end")
            return -1, ""
        text = (result.stdout + result.stderr).decode(errors="replace")
        is_report = sanitized and ("Sanitizer" in text or "runtime error" in text)
        if result.returncode not in statuses or is_report:
            self.fail(f"spio {words} ends with {result.returncode}: {text[-2000:]}")
        if any(ord(character) < 32 and character not in "\n\t" for character in text):
            self.fail(f"spio {words} prints control characters: {text!r}")
        return result.returncode, text

    def plant(self, path, text="", mode=0o666):
        path.write_text(text)
        path.chmod(mode)
        self.give_away(path)
        return path

    def give_away(self, path):
        if self.is_root:
            os.chown(path, attacker, attacker)

    def own(self, path):
        """Makes the victim the owner of a folder and all in it."""
        if self.is_root and self.victim is not None:
            for inner in [path, *path.rglob("*")]:
                os.chown(inner, self.victim, self.victim, follow_symlinks=False)

    def trap(self):
        """The code of a header that leaves the mark when a kernel with it is loaded."""
        return ('\nextern "C" int system(char const*);\n'
                f'__attribute__((constructor)) static void leave_mark() {{ system("touch {self.mark}"); }}\n')

    def fail(self, reason):
        self.failures.append(f"victim {self.victim}: {reason}")

    def expect(self, answer, status, words):
        """Expects a status and words in the text of a run's answer, and that nothing planted was executed."""
        self.count += 1
        if answer[0] != status or words not in answer[1]:
            self.fail(f"expected {status} and '{words}', got {answer[0]}: {answer[1][-600:]}")
        if self.mark.exists():
            self.mark.unlink()
            self.fail(f"what an attacker has planted was executed: {answer[1][-600:]}")

    def headers_of_strangers(self):
        """An installed header that others may write to is not compiled."""
        channels = 8 * self.random.randrange(20, 250)
        words = ["run", "layernorm_2d", f"channels={channels}", "positions=3", "--device", "host"]
        include = self.prefix / "include"
        headers = ["spio/kernels/layernorm_2d/layernorm_2d.cuh", "spio/tensor.h", "spio/host/sim/host_kernel.h", "spio/dim.h",
                "spio/host/sim/device_text.h"]
        header = include / self.random.choice(headers)
        way = self.random.choice(["mode", "folder", "link", *(["owner"] if self.is_root else [])])
        place = header
        if way == "mode":
            header.chmod(0o646)
        elif way == "owner":
            self.give_away(header)
        elif way == "folder":
            place = header.parent
            place.chmod(0o757)
        else:
            place = self.plant(self.folder / f"strange_{self.random.randrange(1 << 30)}.h", header.read_text() + self.trap())
            header.unlink()
            header.symlink_to(place)
        answer = self.run(*words)
        # Of a header of the kernel's family the command has the text itself, and reads no other.
        if way == "link" and header.name == "layernorm_2d.cuh":
            self.expect(answer, 0, "on the host device")
        else:
            self.refused(answer, place)

    def refused(self, answer, place):
        """Expects an error that names the place, and that nothing planted was executed."""
        self.count += 1
        if answer[0] == 0 or place.name not in answer[1]:
            self.fail(f"{place} was not refused: {answer}")
        if self.mark.exists():
            self.mark.unlink()
            self.fail(f"{place} was executed")

    def packs_of_strangers(self):
        """A pack that others may write to is refused, and one beside the program is skipped; damage is found."""
        manifest = self.home / "some.manifest"
        manifest.write_text(f"axpby n={self.random.randrange(1, 1 << 30)}\n")
        self.own(self.home)
        pack = self.home / "some.spiopack"
        self.expect(self.run("pack", "build", manifest, "--arch", "compute_80", "--output", pack), 0, "1 image")
        pack.chmod(self.random.choice([0o646, 0o666, 0o642]))
        self.refused(self.run("show", "axpby", "n=1000", "--arch", "sm_80", "--pack", pack), pack)
        neighbour = self.prefix / "bin" / "beside.spiopack"
        shutil.copy(pack, neighbour)
        neighbour.chmod(0o646)
        answer = self.run("show", "axpby", "n=1000", "--arch", "sm_80")
        self.expect(answer, 0, "it is not asked")
        damaged = bytearray(pack.read_bytes())
        for _ in range(self.random.randrange(1, 5)):
            damaged[self.random.randrange(len(damaged))] ^= 1 << self.random.randrange(8)
        pack.write_bytes(damaged[: self.random.choice([len(damaged), self.random.randrange(len(damaged))])])
        pack.chmod(0o644)
        status, text = self.run("pack", "verify", pack)
        self.expect((status, text), 1, "")

    def compilers_of_strangers(self):
        """A compiler that others may write to is not executed."""
        tools = self.folder / f"cuda_{self.random.randrange(1 << 30)}"
        (tools / "bin").mkdir(parents=True)
        for name in ("nvcc", "ptxas", "fatbinary"):
            self.plant(tools / "bin" / name, f"#!/bin/sh\ntouch {self.mark}\n", 0o777)
        manifest = self.home / "some.manifest"
        manifest.write_text("axpby n=10\n")
        self.own(self.home)
        self.refused(self.run("pack", "build", manifest, "--arch", "sm_80", "--cuda", tools, "--output", "a.spiopack"),
                     tools)

    def outputs_that_are_links(self):
        """An output whose name is a link, a pipe or a folder is neither followed nor replaced."""
        manifest = self.home / "some.manifest"
        manifest.write_text(f"axpby n={self.random.randrange(1, 1000)}\n")
        precious = self.home / "precious"
        precious.write_text("precious")
        output = self.home / "out.spiopack"
        kind = self.random.choice(["link", "dangling", "pipe", "folder"])
        if kind == "link":
            output.symlink_to(precious)
        elif kind == "dangling":
            output.symlink_to(self.home / "absent")
        elif kind == "pipe":
            os.mkfifo(output)
        else:
            output.mkdir()
        self.own(self.home)
        old_mode = os.lstat(output).st_mode
        answer = self.run("pack", "build", manifest, "--arch", "compute_80", "--output", output)
        self.refused(answer, output)
        if precious.read_text() != "precious" or os.lstat(output).st_mode != old_mode or (self.home / "absent").exists():
            self.fail(f"a {kind} of the output's name was written through or replaced")

    def names_that_are_commands(self):
        """The name of a folder is never read by a shell."""
        name = self.random.choice([f"$(touch {self.mark.name})", f"`touch {self.mark.name}`", "a'b,c", 'a"b c;touch x', "-o x", "a\\b"])
        place = self.home / name
        place.mkdir(exist_ok=True)
        (place / "some.manifest").write_text("axpby n=7\n")
        self.own(self.home)
        answer = self.run("pack", "build", "some.manifest", "--arch", "compute_80", "--output", "a.spiopack", cwd=place)
        self.expect(answer, 0, "1 image")
        if list(self.home.rglob(self.mark.name)) or (place / "x").exists():
            self.fail(f"a folder called {name} was executed")

    def folders_of_strangers(self):
        """A cache folder that others may write to is not used."""
        cache = self.folder / f"cache_{self.random.randrange(1 << 30)}"
        cache.mkdir()
        cache.chmod(self.random.choice([0o777, 0o757, 0o1777]))
        self.give_away(cache)
        place = cache
        if self.random.random() < 0.3:
            place = self.home / "link"
            place.symlink_to(cache)
        answer = self.run("show", "axpby", f"n={self.random.randrange(1, 1 << 30)}", "--arch", "sm_80", "--image", "image",
                          SPIO_CACHE_DIR=str(place))
        self.expect(answer, 0, "kept")
        if any(cache.iterdir()):
            self.fail(f"{place} was written to")

    def pipes_as_libraries(self):
        """A pipe in the place of NVRTC, the compiler at run time, is refused instead of waited for."""
        pipe = self.home / "libnvrtc.so"
        os.mkfifo(pipe)
        self.own(self.home)
        for words in (["doctor"], ["show", "axpby", "n=3", "--arch", "sm_80", "--image", "image"]):
            self.refused(self.run(*words, SPIO_NVRTC=str(pipe)), pipe)

    def variables_of_callers(self):
        """A program with more rights than its caller reads no variable of his."""
        if not self.is_root or self.victim is None:
            return
        program = self.prefix / "bin" / "spio_with_rights"
        shutil.copy(self.prefix / "bin" / "spio", program)
        program.chmod(self.random.choice([0o4755, 0o2755]))
        library = self.plant(self.folder / "libnvrtc.so", "no library", 0o755)
        variables = {name: str(library) for name in ("SPIO_NVRTC", "SPIO_TUNED")}
        # Such a program reads no options of a sanitizer either, which may find that it cannot look for leaks.
        answer = self.run("doctor", program=program, sanitized=False, SPIO_POLICY="nonsense", SPIO_CACHE_DIR=str(self.home), **variables)
        self.count += 1
        if "nonsense" in answer[1] or str(library) in answer[1] or any(self.home.glob("*.spio*")):
            self.fail(f"a program with rights has read a variable: {answer}")

    def extreme_problems(self):
        def number():
            return max(0, (1 << self.random.randrange(32)) + self.random.randrange(-2, 3)) * self.random.choice([1, 1, 1, 8, -1])

        line = self.random.choice([
            ["conv2d", *(f"{k}={number()}" for k in ("n", "c", "h", "w")), f"pass={self.random.choice(['fprop', 'dgrad', 'wgrad'])}"],
            ["matmul", *(f"{k}={number()}" for k in "mnk"), f"batch={number()}"],
            ["layernorm_2d", f"channels={number()}", f"positions={number()}"],
            ["axpby", f"n={number()}"]])
        arch = self.random.choice(["sm_80", "sm_90a", "compute_80", "sm_120a"])
        self.run("show", *line[: 2 if line[0] == "layernorm_2d" else None], "--arch", arch)
        # Vectors of any size have a kernel in the program, which would take its time for many elements.
        if line[0] != "axpby":
            self.run("run", *line, "--device", "host", "--policy", "aot_only")
        self.count += 2

    def parents_that_ignore_children(self):
        """The status of a compiler is known also where SIGCHLD is ignored, so that no child can be waited for."""
        (self.home / "some.manifest").write_text("axpby n=9\n")
        self.own(self.home)
        self.expect(self.run("pack", "build", "some.manifest", "--arch", "compute_80", "--output", "a.spiopack", ignores_children=True), 0, "1 image")

    def all_once(self):
        for attack in (self.headers_of_strangers, self.packs_of_strangers, self.compilers_of_strangers, self.outputs_that_are_links,
                       self.names_that_are_commands, self.folders_of_strangers, self.pipes_as_libraries,
                       self.variables_of_callers, self.extreme_problems, self.parents_that_ignore_children):
            # A prefix and a home that no attack has touched yet.
            place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
            place.chmod(0o755)
            self.prefix, self.home = place / "prefix", place / "home"
            shutil.copytree(self.installed / "bin", self.prefix / "bin")
            shutil.copytree(self.installed / "include", self.prefix / "include")
            self.home.mkdir(mode=0o755)
            self.own(self.home)
            attack()
            shutil.rmtree(place)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    prefix, cuda, folder = map(pathlib.Path, sys.argv[1:4])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    folder.mkdir(parents=True, exist_ok=True)
    attacks = Attacks(prefix.resolve(), cuda, folder.resolve(), seed)
    victims = [None, unprivileged] if attacks.is_root else [None]
    for _ in range(rounds):
        for attacks.victim in victims:
            attacks.all_once()
    print(f"summary: command.attacks: {attacks.count} attacks of seed {seed} on {len(victims)} users, "
          f"{len(attacks.failures)} succeeded")
    sys.exit("\n".join(attacks.failures) if attacks.failures else 0)


if __name__ == "__main__":
    main()
