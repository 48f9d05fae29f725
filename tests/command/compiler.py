# Runs the program `spio` where the compiler of the host device is missing.
# SPDX-License-Identifier: Apache-2.0
#
# The program has the path of its compiler in it: a copy of the program gets another one.
import pathlib
import re
import subprocess

from asking import expect, plain, spio, work


def test_missing_compiler():
    program = work / "without_compiler"
    text = pathlib.Path(spio).read_bytes()
    compiler = re.search(rb"(/[-\w./+]*clang\+\+[-\w]*)\0", text)[1]
    program.write_bytes(text.replace(compiler, compiler[:-2] + b"xx"))
    program.chmod(0o755)
    got = subprocess.run([program, "run", "layernorm_2d", "channels=88", "--device", "host"], capture_output=True, env=plain)
    said = b"no kernel of 'layernorm_2d channels=88 affine=true' for the host device, and its compiler is not here: "
    expect(got.returncode == 3 and said + compiler[:-2] in got.stderr, "a missing compiler", got)
    got = subprocess.run([program, "run", "axpby", "n=1000", "--check", "--device", "host"], capture_output=True, env=plain)
    expect(got.returncode == 0, "what is built in needs none", got)
