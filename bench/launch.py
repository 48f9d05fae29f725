# Measures launches on the machine's GPU, and draws the tables of what was measured.
# SPDX-License-Identifier: Apache-2.0
#
# A pack is a file of compiled kernels; nvcc, clang and ptx are packs of the same kernels by two compilers and
# as PTX. NVRTC compiles kernels at run time. A manifest lists the kernels of a pack. A sweep measures many
# configurations.
"""launch.py FOLDER --out FILE [--commit HASH] [--sweep]   on a machine with a GPU and NVRTC
launch.py --table FILE

FOLDER has the programs launcher_on_gpu, bench_overhead, bench_first_result and bench_bandwidth, and the
packs nvcc, clang and ptx of tests/gpu/launcher.manifest.
"""
import argparse
import datetime
import json
import pathlib
import platform
import subprocess
import sys
import tempfile


def records_of(command, seconds=400):
    """The JSON lines that a program prints; all else goes on to the terminal."""
    print("+", *command, flush=True)
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, timeout=seconds)
    records = []
    for line in done.stdout.splitlines():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            print(line)
    print(f"  {len(records)} records, exit status {done.returncode}", flush=True)
    return records, done.returncode


def said_by(*command):
    """What a command prints; nothing if there is no such command."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()
    except OSError:
        return ""


def measure(options):
    """Runs the programs, and writes all their records. Returns 0 if all succeeded."""
    folder, records, failed = options.folder.resolve(), [], 0
    packs = folder / "packs"

    def run(*command):
        """Runs a benchmark; keeps its records, and whether one has failed."""
        nonlocal failed
        found, status = records_of(command)
        records.extend(found)
        failed |= status

    run(folder / "launcher_on_gpu", packs)
    run(folder / "bench_overhead", packs / "nvcc.spiopack")
    with tempfile.TemporaryDirectory() as cache:
        # From the pack; then by NVRTC, each time with an empty folder of its own; then from such a folder.
        for _ in range(5):
            run(folder / "bench_first_result", cache, packs / "nvcc.spiopack")
        for fresh in range(5):
            run(folder / "bench_first_result", f"{cache}/{fresh}")
        for _ in range(5):
            run(folder / "bench_first_result", f"{cache}/0")
        run(folder / "bench_bandwidth", cache, *(["--sweep"] if options.sweep else []))
    driver = said_by("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    head = {
        "date": datetime.date.today().isoformat(),
        "commit": options.commit,
        "driver": driver,
        "nvcc": said_by("nvcc", "--version").splitlines()[-1:],
        "host": platform.platform(),
        "packs": {path.stem: path.stat().st_size for path in sorted(packs.glob("*.spiopack"))},
    }
    lines = ",\n  ".join(json.dumps(record) for record in records)
    options.out.write_text(f"{{{json.dumps(head)[1:-1]},\n \"records\": [\n  {lines}\n ]}}\n")
    return failed


def median(values):
    """The median, or the greater of the two in the middle."""
    return sorted(values)[len(values) // 2]


def draw(file):
    """Prints the tables of a file of records."""
    results = json.loads(file.read_text())
    records = results["records"]
    named = lambda name: [record for record in records if record["name"] == name]
    machine = named("machine")[0]
    print(f"{machine['gpu']}, driver {results['driver']}, commit {results['commit']}, {results['date']}\n")
    for name in ("agree", "threads", "rounds", "launch", "end"):
        for record in named(name):
            print(f"{name}: " + ", ".join(f"{k} {v}" for k, v in record.items() if k != "name"))
    print("\nfrom a new shape to its first result, milliseconds (medians)")
    print(f"{'kernel':14}{'from':10}{'find':>9}{'load':>9}{'launch':>9}{'all':>9}{'bytes':>9}")
    first = named("first_result")
    for kernel, source in dict.fromkeys((r["kernel"], r["from"]) for r in first):
        same = [r for r in first if (r["kernel"], r["from"]) == (kernel, source)]
        find, load, launch = (median([r[key] for r in same]) for key in ("find_ms", "load_ms", "launch_ms"))
        total = median([r["find_ms"] + r["load_ms"] + r["launch_ms"] for r in same])
        print(f"{kernel:14}{source:10}{find:9.2f}{load:9.2f}{launch:9.2f}{total:9.2f}"
              f"{same[0]['image_bytes']:9}")
    print("\nagainst a copy of the same bytes, from memory")
    print(f"{'kernel':14}{'problem':30}{'config':50}{'MiB':>5}{'us':>9}{'GB/s':>7}{'copy':>7}{'ratio':>8}")
    for r in named("bandwidth"):
        print(f"{r['kernel']:14}{r['problem']:30}{r['config']:50}{r['mib']:5}{r['us']:9.1f}{r['gb_s']:7.0f}"
              f"{r['copy_gb_s']:7.0f}{r['ratio']:8.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--commit", default="")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    if options.table:
        draw(options.table)
        return 0
    if not options.folder or not options.out:
        parser.error("FOLDER and --out, or --table")
    return measure(options)


if __name__ == "__main__":
    sys.exit(main())
