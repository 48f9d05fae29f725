# Measures matrix products where the GPU is, and keeps what bench_matmul prints as one file of results.
# SPDX-License-Identifier: Apache-2.0
"""run.py --out FILE.json [--program BENCH_MATMUL] [--commit HASH] [--sets squares,layers,random]
run.py --out FILE.json --records LINES.jsonl… [--commit HASH]

Kernels are compiled first, by as many processes as there are processors. Products of random sizes run for a shorter time
than the others, in all configurations. With --records the lines of earlier runs are kept, and nothing is measured.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
METHOD = ("graph replays in random order in one process, random normal bfloat16 numbers, results in bfloat16, a by rows and b by columns; "
          "buffers rotated past the L2 cache; watts and MHz are read while a replay runs; a burst comes after a pause of 40 ms")


def lines_of(text):
    """The objects that a program has printed, one on each line."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def driver():
    """The version of the GPU's driver."""
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.run(query, stdout=subprocess.PIPE, text=True).stdout.strip()


def measure(options):
    """The lines of all sets, with kernels that are compiled in a folder of their own."""
    seconds = {"squares": ["--seconds", "0.1"], "layers": ["--seconds", "0.05", "--rounds", "3"],
               "random": ["--seconds", "0.002", "--rounds", "2", "--all"]}
    with tempfile.TemporaryDirectory() as folder:
        program = [str(options.program.resolve()), folder]
        parts = os.cpu_count()
        compiling = [subprocess.Popen([*program, "--compile", str(part), str(parts)], stdout=subprocess.PIPE, text=True)
                     for part in range(parts)]
        records = [record for process in compiling for record in lines_of(process.communicate()[0])]
        for name in options.sets.split(","):
            words = [*program, *(["ceilings"] if name == "squares" else []), name, *seconds[name]]
            print("+", *words, flush=True)
            done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
            records += lines_of(done.stdout)
    return records


def shortened(records):
    """Of a product that ran in many configurations: the chosen one, the fastest one, and the others' number."""
    selected, products = [], {}
    for record in records:
        if record["name"] == "product":
            products.setdefault((record["set"], record["shape"], record["kernel"]), []).append(record)
        else:
            selected.append(record)
    for same in products.values():
        fastest = min(same, key=lambda record: record["us"])
        chosen = [record for record in same if record["chosen"]]
        if fastest in chosen or fastest["kernel"] != "wgmma":
            selected += chosen
        else:
            selected += [*chosen, fastest | {"configs": len(same)}]
    return selected


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, default=HERE.parent.parent / "build" / "release" / "bench" / "bench_matmul")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--sets", default="squares,layers,random")
    parser.add_argument("--records", type=pathlib.Path, nargs="+")
    parser.add_argument("--driver", help="of the machine where the records were made")
    options = parser.parse_args()
    if options.records:
        records = [record for file in options.records for record in lines_of(file.read_text())]
    else:
        records = measure(options)
    machine = next(record for record in records if record["name"] == "machine")
    head = {"what": "matrix products", "date": datetime.date.today().isoformat(), "gpu": machine["gpu"],
            "driver": options.driver or driver(), "cublas": machine["cublas"], "seed": machine["seed"],
            "commit": options.commit, "method": METHOD}
    records = shortened([record for record in records if record["name"] != "machine"])
    lines = ",\n  ".join(json.dumps(record) for record in records)
    options.out.write_text(f"{{{json.dumps(head)[1:-1]},\n \"records\": [\n  {lines}\n ]}}\n")
    products = sum(record["name"] == "product" for record in records)
    print(f"summary: bench.matmul: {products} products measured")


if __name__ == "__main__":
    sys.exit(main())
