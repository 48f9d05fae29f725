# The tables of what calls from PyTorch cost the host.
# SPDX-License-Identifier: Apache-2.0
#
# Spio's function and PyTorch's are called on one host in turn; results have the version of Spio before the newest change, too.
# clone() copies a tensor, which is next to no work for the host. aten is PyTorch's own library of operators.

# A row: what is called, and the names of its times for Spio, aten and clone().
ROWS = (
    ("without gradients", "spio function", "torch function", "clone"),
    ("with gradients, the forward pass", "spio function with gradients", "torch function with gradients", None),
    ("forward and backward", "spio forward and backward", "torch forward and backward", "clone forward and backward"),
    ("the same with float32 weights under autocast", "spio forward and backward, autocast", "torch forward and backward, autocast", None),
    ("`torch.ops.spio.conv2d` without gradients", "spio operator", None, None),
)


def cell(times, name):
    """The least of a call's times, in microseconds; empty if it was not measured."""
    return f"{min(times[name]):.1f} us" if name in times else ""


def spread(values, digits=2):
    """The least and the greatest of several milliseconds; empty if there are none."""
    return f"{min(values):.{digits}f} to {max(values):.{digits}f} ms" if values else ""


def calls(root, file, results):
    """The host's time of calls, and of the first calls of a process."""
    yield f"[{results['gpu']}, PyTorch {results['pytorch']}, {results['date']}]({{root}}{file.relative_to(root)})"
    yield ""
    yield "| call | Spio | Spio before | aten | clone |"
    yield "|---|---|---|---|---|"
    times, older = results["microseconds"], results["microseconds before"]
    for words, own, atens, copy in ROWS:
        yield f"| {words} | {cell(times, own)} | {cell(older, own)} | {cell(times, atens)} | {cell(times, copy)} |"
    firsts = results["milliseconds of first calls"], results["milliseconds of first calls before"]
    # A process has a list of layers, a layer the times of its forward and its backward pass.
    for words, place, layers in (
        ("first forward pass of a process", 0, slice(1)), ("first backward pass of a process", 1, slice(1)),
        ("first forward pass of a further layer", 0, slice(1, None)), ("first backward pass of a further layer", 1, slice(1, None)),
    ):
        ranges = [spread([layer[place] for process in each for layer in process[layers] if layer[place]]) for each in firsts]
        if any(ranges):
            yield f"| {words} | {' | '.join(ranges)} | | |"
