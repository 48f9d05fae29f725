# Runs every case on a GPU, then under compute-sanitizer, then each planted bug under its tool.
# SPDX-License-Identifier: Apache-2.0
"""on_gpu.py FOLDER --out OUT [--commit HASH] [--skip-tools] [NAME...]

FOLDER is what the build left in tests/kernels: the program kernels_on_gpu and the folder images.
Nothing else is needed but the driver and compute-sanitizer. What is printed goes to OUT too, a file
for each step, and the results to OUT/kernels_on_gpu-DATE.json.
"""
import argparse
import datetime
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

# Each tool, and how it speaks of the bug that is planted for it.
TOOLS = {
    "memcheck": r"Invalid __global__ read",
    "racecheck": r"Race reported|hazard detected|Error: .*hazard",
    "initcheck": r"Uninitialized __global__ memory read",
    "synccheck": r"Barrier error|Divergent thread",
}


class Steps:
    """Runs programs one after the other, and keeps what they print."""

    def __init__(self, out, seconds):
        self.out, self.seconds, self.failed = out, seconds, []

    def run(self, name, command):
        start = time.monotonic()
        try:
            done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=self.seconds)
            status, text = done.returncode, done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired as late:
            status = "timeout"
            text = (late.stdout or b"").decode(errors="replace") + f"\nstopped after {self.seconds} s\n"
        except OSError as missing:
            status, text = "did not start", f"{missing}\n"
        (self.out / f"{name}.log").write_text(text)
        return status, text, round(time.monotonic() - start, 1)

    def judge(self, name, good, seconds, words, text=""):
        print("pass" if good else "FAIL", f"{name:20} {seconds:6.1f} s  {words}", flush=True)
        if not good:
            self.failed.append(name)
            print("\n".join(text.splitlines()[-40:]))


def cases_of(text):
    """What each line `pass NAME WHERE N expectations, N outputs, X ms` says."""
    pattern = r"^(pass|FAIL) (\S+) +(\S+) +(\d+) expectations, (\d+) outputs, ([\d.]+) ms$"
    return [{"case": name, "device": where, "passes": result == "pass", "expectations": int(expectations),
             "outputs": int(outputs), "milliseconds": float(ms)}
            for result, name, where, expectations, outputs, ms in re.findall(pattern, text, re.M)]


def errors_of(text):
    """How many errors a tool counted, or None if it did not come so far."""
    counted = re.findall(r"ERROR SUMMARY: (\d+) error", text)
    counted += re.findall(r"RACECHECK SUMMARY: (\d+) hazard", text)
    return sum(map(int, counted)) if counted else None


def output_of(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def describe(options, first_line, sanitizer):
    """The machine and the versions, as results in bench/ have them."""
    gpu = re.search(r"GPU: (.*), compute capability (\S+), driver for CUDA (\S+)", first_line)
    versions = options.folder / "images" / "versions.json"
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {
        "date": datetime.date.today().isoformat(),
        "gpu": gpu[1] if gpu else "unknown",
        "compute_capability": gpu[2] if gpu else "unknown",
        "driver": output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
        "driver_cuda": gpu[3] if gpu else "unknown",
        "cpu": cpu[1] if cpu else "unknown",
        "system": platform.platform(),
        "compilers": json.loads(versions.read_text()) if versions.exists() else {},
        "compute_sanitizer": output_of(sanitizer, "--version").splitlines()[-1] if sanitizer else "none",
        "commit": options.commit or output_of("git", "-C", str(options.folder), "rev-parse", "HEAD"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="only these cases")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--commit")
    parser.add_argument("--sanitizer", default=shutil.which("compute-sanitizer")
                        or "/usr/local/cuda/bin/compute-sanitizer")
    parser.add_argument("--skip-tools", action="store_true", help="only run the cases")
    parser.add_argument("--planted-images", default="nvcc-sm_90a", help="whose planted bugs to run")
    parser.add_argument("--seconds", type=int, default=150, help="for one step")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    program, images = options.folder / "kernels_on_gpu", options.folder / "images"
    program.chmod(0o755)
    steps = Steps(options.out, options.seconds)

    status, text, seconds = steps.run("cases", [program, images, *options.names])
    cases = cases_of(text)
    print(text)
    summary = re.search(r"^figure: (.*)$", text, re.M)
    steps.judge("cases", status == 0 and summary, seconds, summary[1] if summary else f"status {status}")
    report = describe(options, text, None if options.skip_tools else options.sanitizer)
    report["cases"] = cases

    report["tools"], report["planted"] = {}, {}
    for tool, words in {} if options.skip_tools else TOOLS.items():
        sanitizer = [options.sanitizer, "--tool", tool, "--error-exitcode", 9, program, images]
        name = tool
        status, text, seconds = steps.run(name, [*sanitizer, *options.names, "--small", "--bare"])
        runs, errors = cases_of(text), errors_of(text)
        steps.judge(name, status == 0 and errors == 0 and runs, seconds,
                    f"{errors} errors in {len(runs)} runs, status {status}", text)
        report["tools"][tool] = {"errors": errors, "runs": len(runs), "status": status, "seconds": seconds}

        name = f"planted_{tool}"
        status, text, seconds = steps.run(
            name, [*sanitizer, "--planted", tool, "--bare", "--images", options.planted_images])
        found, errors = re.search(words, text), errors_of(text)
        steps.judge(name, found and errors, seconds, f"{errors} errors, status {status}", text)
        report["planted"][tool] = {"errors": errors, "found": bool(found and errors),
                                   "words": found[0] if found else "", "seconds": seconds}

    report["passes"] = not steps.failed
    file = options.out / f"kernels_on_gpu-{report['date']}.json"
    file.write_text(json.dumps(report, indent=2) + "\n")
    print("written:", file)
    print(f"figure: on the GPU: {len(steps.failed)} steps failed", *steps.failed)
    return bool(steps.failed)


if __name__ == "__main__":
    sys.exit(main())
