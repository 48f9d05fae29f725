# Runs the demo twice: the second process finds what the first has compiled.
# SPDX-License-Identifier: Apache-2.0
#
# The demo runs two kernels: one from a pack (a file of compiled kernels), one that is compiled at run time
# and kept in a cache on disk.
import os
import re
import subprocess
import sys
import tempfile

demo, cuda = sys.argv[1:3]
with tempfile.TemporaryDirectory() as cache:
    environment = {"PATH": os.environ["PATH"], "CUDA_HOME": cuda, "SPIO_CACHE_DIR": cache,
                   "ASAN_OPTIONS": "detect_leaks=0"}  # NVRTC leaks
    for expected in ["From the pack 1, from disk 0, compiled now 1.",
                     "From the pack 1, from disk 1, compiled now 0."]:
        said = subprocess.run([demo], env=environment, check=True, capture_output=True, text=True,
                              timeout=240).stdout
        assert said.endswith(expected + "\n"), said
        assert len(re.findall(r"of \d+ results 0 are wrong", said)) == 2, said
        assert "cubin for sm_" in said or "fatbin for sm_" in said, said
