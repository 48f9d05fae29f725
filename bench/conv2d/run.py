# One command where the GPU is: writes kernels of some layers, compiles and measures them.
# SPDX-License-Identifier: Apache-2.0
"""run.py LAYERS --exporter CONV2D_EXPORT --include KERNELS MP11 --out FILE.json [--arch sm_90a] [--repeat 100]
       [--work FOLDER] [any options of conv2d_export]

LAYERS is as in goals.txt, the exporter a program that was built where clang is, with the launcher beside it. What lies between
stays in FOLDER, or goes when all is measured. For one layer at several --batches a drawing is made
beside FILE.json.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def run(*words):
    """Prints a command and runs it; it must succeed."""
    print("+", *words, flush=True)
    subprocess.run(list(map(str, words)), check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layers", type=pathlib.Path)
    parser.add_argument("--exporter", type=pathlib.Path, required=True)
    parser.add_argument("--include", nargs=2, type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--repeat", default="100")
    parser.add_argument("--work", type=pathlib.Path)
    options, for_exporter = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as away:
        folder = options.work or pathlib.Path(away) / "kernels"
        exporter = options.exporter.resolve()
        run(exporter, options.layers, folder, "--arch", options.arch, *for_exporter)
        shutil.copy(exporter.with_name("libconv2d_launcher.so"), folder)
        run(sys.executable, HERE / "build.py", folder, "--include", *options.include, "--arch", options.arch)
        run(sys.executable, HERE / "measure.py", folder, "--out", options.out, "--repeat", options.repeat)
    lines = [line for line in options.layers.read_text().splitlines() if line and not line.startswith("#")]
    if "--batches" in for_exporter and len(lines) == 1:
        words = " ".join(word for word in lines[0].split() if word[:2] in ("c=", "h=", "w="))
        run(sys.executable, HERE / "draw.py", options.out, "--out", options.out.with_suffix(".svg"), "--layer", words)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
