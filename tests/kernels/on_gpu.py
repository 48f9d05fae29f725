# Runs every case on a GPU, then under compute-sanitizer, then each planted bug under its tool.
# SPDX-License-Identifier: Apache-2.0
#
# A case is one run of a kernel whose results are checked. A planted bug is a kernel with a fault that a tool of
# compute-sanitizer must find.
"""on_gpu.py FOLDER --out OUT [--commit HASH] [--skip-tools] [NAME...]

FOLDER is what the build left in tests/kernels: the program kernels_on_gpu and the folder images.
Nothing else is needed but the driver and compute-sanitizer. All that is printed goes to
OUT/kernels_on_gpu-DATE.log, and the results to a file of that name that ends in .json.
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

# Each tool, and the words with which it reports the bug that is planted for it.
TOOLS = {
    "memcheck": r"Invalid __global__ read",
    "racecheck": r"Race reported|hazard detected|Error: .*hazard",
    "initcheck": r"Uninitialized __global__ memory read",
    "synccheck": r"Barrier error|Divergent thread|Invalid arguments",
}


class Steps:
    """Runs programs one after the other, and keeps what they print."""

    def __init__(self, log, seconds):
        self.log, self.seconds, self.failed = log, seconds, []

    def run(self, name, command):
        """Runs a command: its exit status or why it has none, what it printed, and its seconds."""
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
        self.log.write(f"==> {name}: {' '.join(map(str, command))}\n{text}==> status {status}\n\n")
        self.log.flush()
        return status, text, round(time.monotonic() - start, 1)

    def judge(self, name, good, seconds, words, text=""):
        """Prints a line on a step; if it is no good, also the last lines of its text."""
        print("pass" if good else "FAIL", f"{name:20} {seconds:6.1f} s  {words}", flush=True)
        if not good:
            self.failed.append(name)
            print("\n".join(text.splitlines()[-40:]))


def cases_of(text):
    """What each line `pass NAME WHERE N expectations, N outputs, X ms` says."""
    pattern = r"^(pass|FAIL) (\S+) +(\S+) +(\d+) expectations, (\d+) outputs, ([\d.]+) ms$"
    return [{"case": name, "device": place, "passes": result == "pass", "expectations": int(expectations),
             "outputs": int(outputs), "milliseconds": float(ms)}
            for result, name, place, expectations, outputs, ms in re.findall(pattern, text, re.M)]


def errors_of(text):
    """How many errors a tool counted, or None if it did not come so far."""
    counted = re.findall(r"ERROR SUMMARY: (\d+) error", text)
    counted += re.findall(r"RACECHECK SUMMARY: (\d+) hazard", text)
    return sum(map(int, counted)) if counted else None


def output_of(*command):
    """What a command prints; 'unknown' if it cannot be run."""
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


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="only these cases")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--commit", help="of what was built, if no git knows it")
    parser.add_argument("--sanitizer", default=shutil.which("compute-sanitizer")
                        or "/usr/local/cuda/bin/compute-sanitizer")
    parser.add_argument("--skip-tools", action="store_true", help="only run the cases")
    parser.add_argument("--planted-images", default="nvcc-sm_90a", help="whose planted bugs to run")
    parser.add_argument("--seconds", type=int, default=150, help="for one step")
    return parser.parse_args()


def run_cases(options, steps, program):
    """All cases at full size, on the host device and with all images; and what the program printed."""
    status, text, seconds = steps.run("cases", [*program, *options.names])
    print(text)
    summary = re.search(r"^summary: (.*)$", text, re.M)
    steps.judge("cases", status == 0 and summary, seconds, summary[1] if summary else f"status {status}")
    return text


def run_tool(options, steps, program, tool):
    """All cases at small size under a tool, which must find nothing."""
    status, text, seconds = steps.run(tool, [options.sanitizer, "--tool", tool, "--error-exitcode", 9, "--report-api-errors", "no",
                                             *program, *options.names, "--small", "--bare"])
    runs, errors = len(cases_of(text)), errors_of(text)
    steps.judge(tool, status == 0 and errors == 0 and runs, seconds,
                f"{errors} errors in {runs} runs, status {status}", text)
    return {"errors": errors, "runs": runs, "status": status, "seconds": seconds}


def run_planted(options, steps, program, tool):
    """The bug planted for a tool, which it must find."""
    name = f"planted_{tool}"
    status, text, seconds = steps.run(name, [options.sanitizer, "--tool", tool, "--error-exitcode", 9, *program,
                                             "--planted", tool, "--bare", "--images", options.planted_images])
    found, errors = re.search(TOOLS[tool], text), errors_of(text)
    steps.judge(name, found and errors, seconds, f"{errors} errors, status {status}", text)
    return {"errors": errors, "found": bool(found and errors), "words": found[0] if found else "",
            "seconds": seconds}


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    name = f"kernels_on_gpu-{datetime.date.today().isoformat()}"
    program = [options.folder / "kernels_on_gpu", options.folder / "images"]
    tools = {} if options.skip_tools else TOOLS
    with open(options.out / f"{name}.log", "w") as log:
        steps = Steps(log, options.seconds)
        text = run_cases(options, steps, program)
        report = describe(options, text, options.sanitizer if tools else None)
        report["cases"] = cases_of(text)
        report["tools"] = {tool: run_tool(options, steps, program, tool) for tool in tools}
        report["planted"] = {tool: run_planted(options, steps, program, tool) for tool in tools}
    report["passes"] = not steps.failed

    file = options.out / f"{name}.json"
    file.write_text(json.dumps(report, indent=2) + "\n")
    print("written:", file)
    print(f"summary: on the GPU: {len(steps.failed)} steps failed", *steps.failed)
    return bool(steps.failed)


if __name__ == "__main__":
    sys.exit(main())
