# A layer as PyTorch has it: its tensors, its own passes, and the exact result with its bound.
# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn.functional as F


class Layer:
    """One pass of a convolution, on random tensors; those of one set are in `tensors`."""

    def __init__(self, described, sets=1, seed=2026):
        self.of = described
        torch.manual_seed(seed)
        n, c, h, w, p, q, r, s = (described[key] for key in "nchwpqrs")
        self.is_forward = described["pass"] == "fprop"
        self.padding = (described["pad_h"], described["pad_w"])
        self.groups = c // 8
        images = (n, c, h, w), (n, c, p, q)
        self.read, self.made = images if self.is_forward else images[::-1]
        self.filter = self.random((c, 8, r, s)) / (8 * r * s) ** 0.5
        self.filter = self.filter.to(memory_format=torch.channels_last)
        self.bias = torch.randn(c, device="cuda") if described["bias"] else None
        self.tensors = [{"from": self.random(self.read), "filter": self.filter, "bias": self.bias,
                         "to": self.random(self.made)} for _ in range(sets)]
        # What PyTorch's own gradient asks for besides: only its size is looked at.
        self.like_x = self.random((n, c, h, w)) if not self.is_forward else None
        self.half_bias = self.bias.half() if described["bias"] else None

    @staticmethod
    def random(shape):
        made = torch.randn(shape, device="cuda").half()
        return made.to(memory_format=torch.channels_last)

    def bytes(self):
        """Each tensor once."""
        return 2 * sum(self.tensors[0][name].numel() for name in ("from", "to", "filter"))

    def peer(self, number):
        """The same by PyTorch."""
        given = self.tensors[number]["from"]
        if self.is_forward:
            return F.conv2d(given, self.filter, self.half_bias, padding=self.padding, groups=self.groups)
        return torch.ops.aten.convolution_backward(given, self.like_x, self.filter, None, (1, 1), self.padding,
                                                   (1, 1), False, (0, 0), self.groups, (True, False, False))[0]

    def copy(self, number):
        """As many bytes as the layer reads and makes."""
        given = self.tensors[number]
        count = min(given["from"].numel(), given["to"].numel())
        flat = lambda t: t.permute(0, 2, 3, 1).reshape(-1)[:count]
        flat(given["to"]).copy_(flat(given["from"]))

    def exact(self, images):
        """In double, and the sum of magnitudes, of some images."""
        given = self.tensors[0]["from"][images].double()
        by = self.filter.double()
        if self.is_forward:
            run = lambda x, f: F.conv2d(x, f, padding=self.padding, groups=self.groups)
        else:
            shape = (len(images), *self.of_x())
            run = lambda x, f: torch.nn.grad.conv2d_input(shape, f, x, padding=self.padding, groups=self.groups)
        value, magnitude = run(given, by), run(given.abs(), by.abs())
        if self.bias is not None:
            bias = self.bias.double().view(1, -1, 1, 1)
            value, magnitude = value + bias, magnitude + bias.abs()
        return value, magnitude

    def of_x(self):
        return tuple(self.of[key] for key in "chw")

    def worst(self):
        """How much of its bound the greatest error is, of the result that is there; over 1 is wrong."""
        images = sorted({0, self.of["n"] // 2, self.of["n"] - 1})
        value, magnitude = self.exact(images)
        products = 8 * self.of["r"] * self.of["s"] + self.of["bias"]
        gamma = products * 2.0 ** -23 / (1 - products * 2.0 ** -23) * magnitude
        bound = gamma + 2.0 ** -11 * (value.abs() + gamma) + 2.0 ** -25
        error = (self.tensors[0]["to"][images].double() - value).abs() / bound
        return float("inf") if bool(error.isnan().any()) else float(error.max())
