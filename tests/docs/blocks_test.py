# Tests how pages are checked: an excerpt must stand in its file, and an output shown must be what a command prints.
# SPDX-License-Identifier: Apache-2.0
#
# unlike_output() and unlike_source() say how a block of a page differs from what is; None if it does not.
import unittest

from blocks import unlike_output, unlike_source


class Outputs(unittest.TestCase):
    """Lines of a page, compared with what a command prints."""

    def expect(self, is_like, wanted, printed):
        """Expects that the lines wanted are taken for what was printed, or are not."""
        self.assertEqual(unlike_output(wanted, printed) is None, is_like)

    def test_lines_are_the_same(self):
        self.expect(True, ["a", "b"], "a\nb\n")
        self.expect(False, ["a"], "a\nb\n")
        self.expect(False, ["a", "b"], "a\n")
        self.expect(False, ["b", "a"], "a\nb\n")

    def test_lines_may_be_left_out(self):
        self.expect(True, ["a", "…"], "a\nb\n")
        self.expect(True, ["…", "b"], "a\nc\nb\n")
        self.expect(True, ["a", "…", "b"], "a\nb\n")
        self.expect(False, ["a", "…", "b"], "a\nc\nb\nd\n")

    def test_text_and_measured_figures_may_differ(self):
        self.expect(True, ["x … z"], "x y z\n")
        self.expect(True, ["3 ms, 7 bytes"], "4.5 ms, 19 bytes\n")
        self.expect(False, ["3 wrong"], "4 wrong\n")


class Excerpts(unittest.TestCase):
    """Lines of a page, compared with a file of seven lines, of which one is empty."""

    def expect(self, is_like, wanted):
        """Expects that the lines wanted are taken for an excerpt of the file, or are not."""
        self.assertEqual(unlike_source(wanted, "a\n b\nc\nd\n\ne\nf") is None, is_like)

    def test_lines_stand_side_by_side(self):
        self.expect(True, ["b", "  c", "d", "e"])
        self.expect(True, ["b", "…", "e"])
        self.expect(False, ["b", "d"])
        self.expect(False, ["d", "…", "b"])


if __name__ == "__main__":
    unittest.main()
