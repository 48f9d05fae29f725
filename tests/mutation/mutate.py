# Plants faults in the sources of rooms, all in one build, and says which test finds each.
# SPDX-License-Identifier: Apache-2.0
"""mutate.py [ROOM...] [--plant N] [--seed N] [--count N] [--tree FOLDER] [--jobs N] [--seconds N] [--survivors] [--list | --judge NUMBER...]

ROOM is a folder of sources, as modules/spec; without one all rooms share the count. Faults are drawn twice, each time
with a seed that is printed. First --plant N of them are written as switches into the copy of the sources in FOLDER,
build/mutation unless it is named, and built once with the preset ci, optimized and without sanitizers; what does not
compile is taken out. faults.py says what a fault is. Then --count of those planted are drawn and judged; score.py says
how. Whoever draws again from what is planted gets others than were drawn before. Without --plant the build is taken as
it is.

Verdicts are written to verdicts-SEED.jsonl in FOLDER one by one; the same seed goes on where an earlier run stopped, as
after --seconds N it does by itself. --list draws what would be planted, and no more. --survivors plants and judges the faults of survivors.txt. --judge
judges these numbers and draws none."""
import argparse
import os
import pathlib
import random
import sys

from planting import Planting, first_survivor, once_survived, root, rooms
from score import draw, score


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(sorted(rooms)))
    parser.add_argument("--plant", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--tree", type=pathlib.Path, default=root / "build/mutation")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--survivors", action="store_true", help="the faults of survivors.txt")
    parser.add_argument("--list", action="store_true", help="draw, and plant nothing")
    parser.add_argument("--judge", nargs="+", type=int, default=[], help="these numbers")
    options = parser.parse_args()
    unknown = set(options.rooms) - set(rooms)
    if unknown:
        parser.error(f"there is no room {', '.join(unknown)}; there are {', '.join(rooms)}")
    tree, names = options.tree.resolve(), options.rooms or sorted(rooms)
    if options.plant or options.list or options.survivors:
        planting = Planting(tree, options.jobs)
        total = planting.draw(names, options.seed, options.plant)
        if options.survivors:
            planting.add(once_survived(), first_survivor)
        print(f"mutate: seed {options.seed}: {len(planting.planted)} of {total} faults", flush=True)
        if options.list:
            for number, (_, fault) in planting.planted.items():
                print(f"{number} {fault.path.relative_to(root)}:{planting.line_of(fault)}\n  - {fault.old}\n  + {fault.new}")
            return None
        planting.write()
        planting.build_all()
        planting.save(options.seed)
    numbers = options.judge
    if options.survivors:
        numbers = [number for number in planting.planted if number >= first_survivor]
    if not numbers and options.count > 0:
        numbers = draw(tree, names, options.seed, options.count)
        print(f"mutate: seed {options.seed}: {len(numbers)} of those planted are judged", flush=True)
    verdicts = tree / f"verdicts-{options.seed}.jsonl"
    return score(tree, options.jobs, numbers, verdicts, options.seconds) if numbers else None


if __name__ == "__main__":
    sys.exit(main())
