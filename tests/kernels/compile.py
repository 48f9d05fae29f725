# Compiles one file of kernels to a cubin or PTX, and keeps what the assembler says of it beside it.
# SPDX-License-Identifier: Apache-2.0
"""compile.py IMAGE COMMAND...     the log goes to IMAGE.log, and is shown if the command fails"""
import pathlib
import subprocess
import sys


def main():
    image, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        print(" ".join(command), result.stdout, sep="\n")
        image.unlink(missing_ok=True)
        return result.returncode
    image.with_name(image.name + ".log").write_text(result.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
