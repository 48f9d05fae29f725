# Runs the program `spio`, Spio's command, and checks what it prints and how it ends.
# SPDX-License-Identifier: Apache-2.0
#
# The first two arguments are the program and the folder of CUDA. An answer is a
# subprocess.CompletedProcess. All checks are recorded in `done`, and those that fail in `complaints`, so that
# one run reports all failures.
import json
import os
import pathlib
import subprocess
import sys
import tempfile

spio, cuda = sys.argv[1:3]
done, complaints = [], []

# The program gets a home folder of its own, so that it reads and writes no file of the user, and the
# NVRTC that the tests use.
work = pathlib.Path(tempfile.mkdtemp(prefix="spio_command_"))
home = work / "home"
home.mkdir(mode=0o700)
# SPIO_FAULT... chooses the fault in a program that tests/mutation has built with several faults.
plain = {name: value for name, value in os.environ.items() if name.startswith("SPIO_FAULT")}
plain |= {"PATH": os.environ["PATH"], "HOME": str(home), "CUDA_HOME": cuda,
          "ASAN_OPTIONS": "detect_leaks=0"}  # NVRTC leaks


def ask(*words, environment={}, **more):
    """Runs spio with these arguments; `more` are arguments of subprocess.run."""
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([spio, *words], env=plain | environment, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, cwd=work, timeout=240, **more)


def expect(holds, check, got=None):
    """Records a check, described in words, and whether it holds; `got` is the answer to show if not."""
    done.append(check)
    if not holds:
        complaints.append(check if got is None else
                          f"{check}\n  ended with {got.returncode}\n  {got.stdout!r}\n  {got.stderr!r}")


def expect_code(code, *words, says=None, environment={}):
    """Runs spio, which must end with `code`. If that is 2 or 3, an error, it must write one line to
    stderr and nothing to stdout."""
    got = ask(*words, environment=environment)
    shown = " ".join(map(str, words))[:100]
    expect(got.returncode == code, f"spio {shown} should end with {code}", got)
    if code in (2, 3):
        line = got.stderr.decode()
        expect(line.startswith("spio: ") and line.count("\n") == 1, f"spio {shown}: one line", got)
        expect(got.stdout == b"", f"spio {shown}: nothing is printed", got)
    if says is not None:
        expect(says in (got.stdout + got.stderr).decode(), f"spio {shown} should say {says}", got)
    return got


def object_of(*words, code=0, environment={}):
    """The JSON that spio prints for these arguments and --json, as a dict; it must end with `code`."""
    got = expect_code(code, *words, "--json", environment=environment)
    try:
        return json.loads(got.stdout.decode())
    except ValueError as why:
        expect(False, f"spio {' '.join(words)} --json: {why}", got)
        return {}
