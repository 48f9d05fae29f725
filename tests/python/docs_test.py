# The programs of docs/pytorch.md and README.md: each runs, and prints what its comments say.
# SPDX-License-Identifier: Apache-2.0
#
# A program is a block of Python that is not an excerpt of a file.
import pathlib
import re
import subprocess
import sys
import unittest

root = pathlib.Path(__file__).resolve().parents[2]


def programs(page):
    """The programs of a page."""
    return re.findall(r"^<!-- into build/\w+\.py -->\n```python\n(.*?)^```", (root / page).read_text(), re.M | re.S)


@unittest.skipUnless((root / "docs/pytorch.md").exists(), "the pages are not beside these tests")
class Pages(unittest.TestCase):
    def test_programs(self):
        for page, words in (("README.md", "1 of 1 layers take kernels of Spio"), ("docs/pytorch.md", "1 of 2 layers take kernels of Spio")):
            (program,) = programs(page)
            run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(words, run.stdout)
        losses = list(map(float, run.stdout.splitlines()[-10:]))  # of the second page's network
        self.assertLess(losses[-1], losses[0])


if __name__ == "__main__":
    unittest.main()
