# A layer as PyTorch has it: its tensors, its own passes, and the exact result with its bound.
# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn.functional as F


class Layer:
    """One pass of a convolution, on random tensors; those of one set are in `tensors`."""

    def __init__(self, described, sets=1, workspace_floats=0, seed=2026):
        self.of = described
        torch.manual_seed(seed)
        n, c, h, w, p, q, r, s = (described[key] for key in "nchwpqrs")
        self.which = described["pass"]
        self.padding = (described["pad_h"], described["pad_w"])
        self.groups = c // 8
        self.x, self.y = (n, c, h, w), (n, c, p, q)
        self.filter = self.random((c, 8, r, s)) / (8 * r * s) ** 0.5
        self.filter = self.filter.to(memory_format=torch.channels_last)
        self.bias = torch.randn(c, device="cuda") if described["bias"] else None
        self.half_bias = self.bias.half() if described["bias"] else None
        self.makes = ["output"] if self.which != "wgrad" else ["dw", "dbias"] if described["bias"] else ["dw"]
        self.tensors = [self.set(workspace_floats) for _ in range(sets)]
        # What PyTorch's own gradient asks for besides: only its size is looked at.
        self.like_x = self.random(self.x) if self.which == "dgrad" else None

    @staticmethod
    def random(shape):
        made = torch.randn(shape, device="cuda").half()
        return made.to(memory_format=torch.channels_last)

    def set(self, workspace_floats):
        if self.which != "wgrad":
            read, made = (self.x, self.y) if self.which == "fprop" else (self.y, self.x)
            return {"input": self.random(read), "filter": self.filter, "bias": self.bias, "output": self.random(made)}
        poison = lambda *shape: torch.full(shape, float("nan"), device="cuda")
        dw = poison(*self.filter.shape).to(memory_format=torch.channels_last)
        return {"input": self.random(self.x), "dy": self.random(self.y), "dw": dw, "dbias": poison(self.of["c"]),
                "workspace": poison(workspace_floats), "output": self.random(self.y)}

    def bytes(self):
        """Each tensor once."""
        given = self.tensors[0]
        if self.which == "wgrad":
            return 2 * (given["input"].numel() + given["dy"].numel()) + 4 * given["dw"].numel()
        return 2 * sum(given[name].numel() for name in ("input", "output", "filter"))

    def gradients(self, dy, x, mask):
        return torch.ops.aten.convolution_backward(dy, x, self.filter, [self.of["c"]], (1, 1), self.padding, (1, 1),
                                                   False, (0, 0), self.groups, mask)

    def peer(self, number):
        """The same by PyTorch."""
        given = self.tensors[number]
        if self.which == "fprop":
            return F.conv2d(given["input"], self.filter, self.half_bias, padding=self.padding, groups=self.groups)
        if self.which == "dgrad":
            return self.gradients(given["input"], self.like_x, (True, False, False))[0]
        return self.gradients(given["dy"], given["input"], (False, True, bool(self.of["bias"])))[1]

    def copy(self, number):
        """As many bytes as the layer reads and makes."""
        given = self.tensors[number]
        count = min(given["input"].numel(), given["output"].numel())
        flat = lambda t: t.permute(0, 2, 3, 1).reshape(-1)[:count]
        flat(given["output"]).copy_(flat(given["input"]))

    def exact(self, images):
        """In double, and the sum of magnitudes, of some images."""
        given = self.tensors[0]["input"][images].double()
        by = self.filter.double()
        if self.which == "fprop":
            run = lambda x, f: F.conv2d(x, f, padding=self.padding, groups=self.groups)
        else:
            shape = (len(images), *self.x[1:])
            run = lambda x, f: torch.nn.grad.conv2d_input(shape, f, x, padding=self.padding, groups=self.groups)
        value, magnitude = run(given, by), run(given.abs(), by.abs())
        if self.bias is not None:
            bias = self.bias.double().view(1, -1, 1, 1)
            value, magnitude = value + bias, magnitude + bias.abs()
        return value, magnitude

    def exact_gradient(self, group):
        """The same of the filter's gradient, and of the bias's, of one group."""
        channels = slice(8 * group, 8 * group + 8)
        x = F.pad(self.tensors[0]["input"][:, channels].double(), (self.padding[1],) * 2 + (self.padding[0],) * 2)
        dy = self.tensors[0]["dy"][:, channels].double()
        p, q, r, s = (self.of[key] for key in "pqrs")

        def run(dy, x):
            taps = [[torch.einsum("nkpq,ncpq->kc", dy, x[:, :, i:i + p, j:j + q]) for j in range(s)] for i in range(r)]
            return torch.stack([torch.stack(row, -1) for row in taps], -2)
        return run(dy, x), run(dy.abs(), x.abs()), dy.sum((0, 2, 3)), dy.abs().sum((0, 2, 3))

    def worst(self):
        """How much of its bound the greatest error is, of the result that is there; over 1 is wrong."""
        if self.which == "wgrad":
            given, products = self.tensors[0], self.of["n"] * self.of["p"] * self.of["q"]
            errors = []
            for group in sorted({0, self.groups // 2, self.groups - 1}):
                channels = slice(8 * group, 8 * group + 8)
                dw, of_dw, dbias, of_dbias = self.exact_gradient(group)
                errors.append(error(given["dw"][channels], dw, of_dw, products, 2.0 ** -24))
                if self.of["bias"]:
                    errors.append(error(given["dbias"][channels], dbias, of_dbias, products, 2.0 ** -24))
            return max(errors)
        images = sorted({0, self.of["n"] // 2, self.of["n"] - 1})
        value, magnitude = self.exact(images)
        products = 8 * self.of["r"] * self.of["s"] + self.of["bias"]
        return error(self.tensors[0]["output"][images], value, magnitude, products, 2.0 ** -11)


def error(made, value, magnitude, products, unit):
    """The greatest, of its bound: so many sums are rounded to float, and then the result."""
    gamma = products * 2.0 ** -23 / (1 - products * 2.0 ** -23) * magnitude
    bound = gamma + unit * (value.abs() + gamma) + 2.0 ** -25
    off = (made.double() - value).abs() / bound
    return float("inf") if bool(off.isnan().any()) else float(off.max())
