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
        self.activation = described["activation"]
        self.scale = torch.rand(c, device="cuda") + 0.5 if described["scale"] else None
        self.makes = ["dw", "dbias"] if described["bias"] else ["dw"]
        if self.direction != "wgrad":
            self.makes = ["output", "preactivation"] if described["preactivation"] else ["output"]
        self.tensors = [self.set(workspace_floats) for _ in range(sets)]
        if max(self.stride) > 1 or self.others():
            for tensors in self.tensors:
                count = sum(tensors[name].numel() for name in ("input", "output", *self.others())) // 2
                tensors |= {name: torch.randn(count, device="cuda").to(self.type) for name in ("to_copy", "copied")}
        # PyTorch's gradient takes an input of which it reads the size alone.
        self.like_x = self.random(self.x) if self.direction == "dgrad" else None

    def others(self):
        """The names of further tensors of the size of y that the pass reads or writes."""
        if self.direction == "dgrad":
            return ["preactivation"] if self.activation != "none" else []
        return [name for name in ("residual", "preactivation") if self.sizes[name]]

    def activate(self, values):
        """The activation of values of any type."""
        functions = {"none": lambda v: v, "relu": F.relu, "silu": F.silu, "gelu": F.gelu}
        return functions[self.activation](values)

    def slope(self, preactivation):
        """The derivative of the activation, in double."""
        values = preactivation.double().requires_grad_()
        return torch.autograd.grad(self.activate(values).sum(), values)[0]

    def random(self, shape):
        """Random numbers of the layer's type, with the channels of each pixel side by side."""
        values = torch.randn(shape, device="cuda").to(self.type)
        return values.to(memory_format=torch.channels_last)

    def set(self, workspace_floats):
        """The tensors of a launch by the names of the kernels' parameters; results of wgrad begin as NaN."""
        if self.direction != "wgrad":
            input_shape, output_shape = (self.x, self.y) if self.direction == "fprop" else (self.y, self.x)
            others = {name: self.random(input_shape if self.direction == "dgrad" else output_shape)
                      for name in self.others()}
            return {"input": self.random(input_shape), "filter": self.filter, "bias": self.bias, "scale": self.scale,
                    "output": self.random(output_shape)} | others
        poison = lambda *shape: torch.full(shape, float("nan"), device="cuda")
        dw = poison(*self.filter.shape).to(memory_format=torch.channels_last)
        return {"input": self.random(self.x), "dy": self.random(self.y), "dw": dw, "dbias": poison(self.sizes["c"]),
                "workspace": poison(workspace_floats), "output": self.random(self.y)}

    def bytes(self):
        """The bytes of the tensors, each counted once."""
        tensors = self.tensors[0]
        if self.direction == "wgrad":
            return 2 * (tensors["input"].numel() + tensors["dy"].numel()) + 4 * tensors["dw"].numel()
        return 2 * sum(tensors[name].numel() for name in ("input", "output", "filter", *self.others()))

    def gradients(self, dy, x, mask):
        """The gradients of x, the filter and the bias that the mask wants, by PyTorch."""
        return torch.ops.aten.convolution_backward(dy, x, self.filter, [self.sizes["c"]], self.stride, self.padding,
                                                   self.dilation, False, (0, 0), self.groups, mask)

    def peer(self, number):
        """The pass as PyTorch computes it."""
        tensors = self.tensors[number]
        if self.direction == "fprop":
            y = F.conv2d(tensors["input"], self.filter, self.short_bias, groups=self.groups, **self.steps)
            if self.scale is not None:
                y = y * self.scale.to(self.type).view(1, -1, 1, 1)
            y = self.activate(y)
            return y + tensors["residual"] if self.sizes["residual"] else y
        if self.direction == "dgrad":
            dy = tensors["input"]
            if self.activation != "none":
                backward = {"relu": lambda: torch.ops.aten.threshold_backward(dy, tensors["preactivation"], 0),
                            "silu": lambda: torch.ops.aten.silu_backward(dy, tensors["preactivation"]),
                            "gelu": lambda: torch.ops.aten.gelu_backward(dy, tensors["preactivation"])}
                dy = backward[self.activation]()
            return self.gradients(dy, self.like_x, (True, False, False))[0]
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
        """The results for some images in double, by their names; for each the sum of the magnitudes of its products, and
        what else it may be wrong by: activations are within 2^-16 of their value, derivatives within 2^-16."""
        x = self.tensors[0]["input"][images].double()
        filters = self.filter.double()
        if self.direction == "fprop":
            run = lambda x, f: F.conv2d(x, f, groups=self.groups, **self.steps)
        else:
            shape = (len(images), *self.x[1:])
            run = lambda x, f: torch.nn.grad.conv2d_input(shape, f, x, groups=self.groups, **self.steps)
        if self.direction == "dgrad" and self.activation != "none":
            unit, exact = self.unit(), self.activation == "relu"
            dy, x = x, x * self.slope(self.tensors[0]["preactivation"][images])
            wrong = torch.zeros_like(x) if exact else unit * x.abs() + 2.0 ** -25 + 1.01 * 2.0 ** -16 * dy.abs()
            return {"output": (run(x, filters), run(x.abs(), filters.abs()), run(wrong, filters.abs()))}
        value, magnitude = run(x, filters), run(x.abs(), filters.abs())
        if self.scale is not None:
            scale = self.scale.double().view(1, -1, 1, 1)
            value, magnitude = value * scale, magnitude * scale.abs()
        if self.bias is not None:
            bias = self.bias.double().view(1, -1, 1, 1)
            value, magnitude = value + bias, magnitude + bias.abs()
        results = {"preactivation": (value, magnitude, 0)}
        wrong = 0
        if self.activation != "none":
            value, magnitude = self.activate(value), 1.13 * magnitude  # no activation is steeper than 1.13
            wrong = 2.0 ** -16 * value.abs() + 2.0 ** -31
        if self.sizes["residual"]:
            residual = self.tensors[0]["residual"][images].double()
            value, magnitude = value + residual, magnitude + residual.abs()
        return results | {"output": (value, magnitude, wrong)}

    def unit(self):
        """The relative error of one rounding to the type of the layer."""
        return 2.0 ** -11 if self.type == torch.float16 else 2.0 ** -8

    def exact_gradient(self, group):
        """The gradients of one group's filter and bias in double, each with its sum of magnitudes."""
        channels = slice(8 * group, 8 * group + 8)
        x = F.pad(self.tensors[0]["input"][:, channels].double(), (self.padding[1],) * 2 + (self.padding[0],) * 2)
        dy = self.tensors[0]["dy"][:, channels].double()
        p, q, r, s = (self.sizes[key] for key in "pqrs")

        def run(dy, x):
            """The weight gradient, one tap after the other."""
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
        exact = self.exact(images)
        products = 8 * self.sizes["r"] * self.sizes["s"] + sum(self.sizes[name] for name in ("bias", "scale", "residual"))
        return max(error(self.tensors[0][name][images], *exact[name][:2], products, self.unit(), exact[name][2])
                   for name in self.makes)


def error(result, value, magnitude, products, unit, wrong=0):
    """The greatest error as a share of its bound: `products` sums are rounded to float, then the result to `unit`; before,
    it may be wrong by `wrong` besides."""
    gamma = products * 2.0 ** -23 / (1 - products * 2.0 ** -23) * magnitude + wrong
    bound = gamma + unit * (value.abs() + gamma) + 2.0 ** -25  # half of the least half
    errors = (result.double() - value).abs() / bound
    return float("inf") if bool(errors.isnan().any()) else float(errors.max())
