# Arguments that PyTorch's functions refuse: Spio's refuse them in the same words, or take what equals the right ones.
# SPDX-License-Identifier: Apache-2.0
#
# aten is PyTorch's own library of operators.
import unittest

import numpy
import torch
from torch.nn import functional as aten

import spio
from cases import tensor
from spio import functional


def arguments():
    """The images, the weight and the bias of a convolution of two groups."""
    return [tensor(shape, torch.float32) for shape in ((2, 16, 9, 8), (16, 8, 3, 3), (16,))]


class Arguments(unittest.TestCase):
    def test_wrong_arguments_are_torchs_errors(self):
        # The errors are those of PyTorch's function, in one line for tensors, and without a trace of calls in C++.
        x, weight, bias = arguments()
        functional.conv2d(x, weight, bias, groups=2)  # what is known of right arguments does not count for these
        for wrong in ((x, weight, bias[:8]), (x, weight, bias[None]), (x, weight, [1.0]), (x.numpy(), weight), (x, weight.numpy()), ([1], weight), (None, weight)):
            errors = []
            for library in (functional, aten):
                with self.assertRaises((RuntimeError, TypeError)) as caught:
                    library.conv2d(*wrong, groups=2)
                is_whole = isinstance(caught.exception, RuntimeError)  # others name the types of the arguments, as they were passed
                errors.append((type(caught.exception), str(caught.exception)[: None if is_whole else 30]))
            self.assertEqual(*errors)
            with spio.strict(), self.assertRaises(spio.Unsupported):
                functional.conv2d(*wrong, groups=2)

    def test_numbers_of_groups(self):
        x, weight, bias = arguments()
        for is_known in (False, True):
            for groups in (2.0, numpy.int64(2), torch.tensor(2)):
                functional._eager_windows.clear()
                if is_known:
                    functional.conv2d(x, weight, bias, groups=2)
                with spio.strict():
                    y = functional.conv2d(x, weight, bias, groups=groups)
                torch.testing.assert_close(y, aten.conv2d(x, weight, bias, groups=2))

    def test_products_in_float(self):
        a = tensor((8, 16), torch.float64)
        self.assertEqual(functional.matmul(a, a.mT, out_dtype=torch.float32).dtype, torch.float32)


if __name__ == "__main__":
    unittest.main()
