# A layer in PyTorch: its tensors, its passes, and the exact result with its error bound.
# SPDX-License-Identifier: Apache-2.0
#
# The passes of a convolution are fprop, its result, dgrad, the gradient of its input, and wgrad, that of its
# filter. Its sizes have letters: n images of c channels, h x w pixels of the input, p x q of the output, r x s
# taps of the filter. wgrad's kernels need a workspace, an array of floats.
import torch
import torch.nn.functional as F


class Layer:
    """One pass of a convolution, on random tensors. `tensors` has as many sets of them as are used in turn.

    `described` is an object of kernels.json, with the sizes and options of the pass.
    """

    def __init__(self, described, sets=1, workspace_floats=0, seed=2026):
        self.sizes = described
        torch.manual_seed(seed)
        n, c, h, w, p, q, r, s = (described[key] for key in "nchwpqrs")
        self.direction = described["pass"]
        self.type = {"fp16": torch.float16, "bf16": torch.bfloat16}[described["type"]]
        pair = lambda name: (described[name + "_h"], described[name + "_w"])
        self.padding, self.stride, self.dilation = pair("pad"), pair("stride"), pair("dilation")
        self.steps = {"padding": self.padding, "stride": self.stride, "dilation": self.dilation}
        self.groups = c // 8
        self.x, self.y = (n, c, h, w), (n, c, p, q)
        self.filter = self.random((c, 8, r, s)) / (8 * r * s) ** 0.5
        self.filter = self.filter.to(memory_format=torch.channels_last)
        self.bias = torch.randn(c, device="cuda") if described["bias"] else None
        self.short_bias = self.bias.to(self.type) if described["bias"] else None
        self.makes = ["output"] if self.direction != "wgrad" else ["dw", "dbias"] if described["bias"] else ["dw"]
        self.tensors = [self.set(workspace_floats) for _ in range(sets)]
        if max(self.stride) > 1:
            for tensors in self.tensors:
                count = (tensors["input"].numel() + tensors["output"].numel()) // 2
                tensors |= {name: torch.randn(count, device="cuda").to(self.type) for name in ("to_copy", "copied")}
        # PyTorch's gradient takes an input of which it reads the size alone.
        self.like_x = self.random(self.x) if self.direction == "dgrad" else None

    def random(self, shape):
        """Random numbers of the layer's type, with the channels of each pixel side by side."""
        values = torch.randn(shape, device="cuda").to(self.type)
        return values.to(memory_format=torch.channels_last)

    def set(self, workspace_floats):
        """The tensors of a launch by the names of the kernels' parameters; results of wgrad begin as NaN."""
        if self.direction != "wgrad":
            input_shape, output_shape = (self.x, self.y) if self.direction == "fprop" else (self.y, self.x)
            return {"input": self.random(input_shape), "filter": self.filter, "bias": self.bias,
                    "output": self.random(output_shape)}
        poison = lambda *shape: torch.full(shape, float("nan"), device="cuda")
        dw = poison(*self.filter.shape).to(memory_format=torch.channels_last)
        return {"input": self.random(self.x), "dy": self.random(self.y), "dw": dw, "dbias": poison(self.sizes["c"]),
                "workspace": poison(workspace_floats), "output": self.random(self.y)}

    def bytes(self):
        """The bytes of the tensors, each counted once."""
        tensors = self.tensors[0]
        if self.direction == "wgrad":
            return 2 * (tensors["input"].numel() + tensors["dy"].numel()) + 4 * tensors["dw"].numel()
        return 2 * sum(tensors[name].numel() for name in ("input", "output", "filter"))

    def gradients(self, dy, x, mask):
        """The gradients of x, the filter and the bias that the mask wants, by PyTorch."""
        return torch.ops.aten.convolution_backward(dy, x, self.filter, [self.sizes["c"]], self.stride, self.padding,
                                                   self.dilation, False, (0, 0), self.groups, mask)

    def peer(self, number):
        """The pass as PyTorch computes it."""
        tensors = self.tensors[number]
        if self.direction == "fprop":
            return F.conv2d(tensors["input"], self.filter, self.short_bias, groups=self.groups, **self.steps)
        if self.direction == "dgrad":
            return self.gradients(tensors["input"], self.like_x, (True, False, False))[0]
        return self.gradients(tensors["dy"], tensors["input"], (False, True, bool(self.sizes["bias"])))[1]

    def copy(self, number):
        """Copies as many bytes as the layer reads and writes; images of two sizes have arrays of their own for it."""
        tensors = self.tensors[number]
        if "copied" in tensors:
            tensors["copied"].copy_(tensors["to_copy"])
            return
        count = min(tensors["input"].numel(), tensors["output"].numel())
        flat = lambda t: t.permute(0, 2, 3, 1).reshape(-1)[:count]
        flat(tensors["output"]).copy_(flat(tensors["input"]))

    def exact(self, images):
        """The result for some images in double, and the sum of the magnitudes of its products."""
        x = self.tensors[0]["input"][images].double()
        filters = self.filter.double()
        if self.direction == "fprop":
            run = lambda x, f: F.conv2d(x, f, groups=self.groups, **self.steps)
        else:
            shape = (len(images), *self.x[1:])
            run = lambda x, f: torch.nn.grad.conv2d_input(shape, f, x, groups=self.groups, **self.steps)
        value, magnitude = run(x, filters), run(x.abs(), filters.abs())
        if self.bias is not None:
            bias = self.bias.double().view(1, -1, 1, 1)
            value, magnitude = value + bias, magnitude + bias.abs()
        return value, magnitude

    def exact_gradient(self, group):
        """The gradients of one group's filter and bias in double, each with its sum of magnitudes."""
        channels = slice(8 * group, 8 * group + 8)
        x = F.pad(self.tensors[0]["input"][:, channels].double(), (self.padding[1],) * 2 + (self.padding[0],) * 2)
        dy = self.tensors[0]["dy"][:, channels].double()
        p, q, r, s = (self.sizes[key] for key in "pqrs")

        def run(dy, x):
            steps_of = lambda tap, axis: slice(tap * self.dilation[axis], None, self.stride[axis])
            pixels = lambda i, j: x[:, :, steps_of(i, 0), steps_of(j, 1)][:, :, :p, :q]
            taps = [[torch.einsum("nkpq,ncpq->kc", dy, pixels(i, j)) for j in range(s)] for i in range(r)]
            return torch.stack([torch.stack(row, -1) for row in taps], -2)
        return run(dy, x), run(dy.abs(), x.abs()), dy.sum((0, 2, 3)), dy.abs().sum((0, 2, 3))

    def worst(self):
        """The greatest error of the present result as a share of its bound; more than 1 is wrong."""
        if self.direction == "wgrad":
            tensors, products = self.tensors[0], self.sizes["n"] * self.sizes["p"] * self.sizes["q"]
            errors = []
            for group in sorted({0, self.groups // 2, self.groups - 1}):
                channels = slice(8 * group, 8 * group + 8)
                dw, dw_magnitude, dbias, dbias_magnitude = self.exact_gradient(group)
                errors.append(error(tensors["dw"][channels], dw, dw_magnitude, products, 2.0 ** -24))
                if self.sizes["bias"]:
                    errors.append(error(tensors["dbias"][channels], dbias, dbias_magnitude, products, 2.0 ** -24))
            return max(errors)
        images = sorted({0, self.sizes["n"] // 2, self.sizes["n"] - 1})
        value, magnitude = self.exact(images)
        products = 8 * self.sizes["r"] * self.sizes["s"] + self.sizes["bias"]
        unit = 2.0 ** -11 if self.type == torch.float16 else 2.0 ** -8
        return error(self.tensors[0]["output"][images], value, magnitude, products, unit)


def error(result, value, magnitude, products, unit):
    """The greatest error as a share of its bound: `products` sums are rounded to float, then the result to `unit`."""
    gamma = products * 2.0 ** -23 / (1 - products * 2.0 ** -23) * magnitude
    bound = gamma + unit * (value.abs() + gamma) + 2.0 ** -25
    errors = (result.double() - value).abs() / bound
    return float("inf") if bool(errors.isnan().any()) else float(errors.max())
