# Trains on two GPUs by DistributedDataParallel and FSDP2: gradients as of one GPU, and how a step scales.
# SPDX-License-Identifier: Apache-2.0
"""two_gpus.py FILE    writes what it finds as JSON; PYTHONPATH has the wheel"""
import json
import os
import re
import sys
import time

import torch
import torch.distributed as distributed
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile

import spio
from spio import blocks

gpus = 2
images = 64  # of a GPU
small = {"channels": 64, "depth": 4, "expansion": 4}  # its steps wait for the host
large = {"channels": 256, "depth": 6, "expansion": 4}  # its steps wait for the GPU
dtype = torch.bfloat16


def network(sizes):
    # Of the blocks, this one has no statistics over the batch, which two halves do not share.
    torch.manual_seed(1)
    model = blocks.stack("convnext", **sizes)
    spio.convert(blocks.take_kernels(model), memory_format=torch.contiguous_format)
    return model.cuda()


def batch(first, count, size=32):
    """`count` images and labels of one batch of random ones, from `first` on."""
    torch.manual_seed(2)
    x = blocks.random_images(gpus * images, size, "cpu")
    labels = torch.randint(10, (gpus * images,))
    return x[first : first + count].cuda().contiguous(memory_format=torch.channels_last), labels[first : first + count].cuda()


def backward(model, x, labels):
    """Computes the gradients of a batch."""
    with torch.autocast("cuda", dtype):
        loss = torch.nn.functional.cross_entropy(model(x), labels)
    loss.backward()


def gradients(model):
    """The gradients of all parameters, whole: FSDP2 shards them."""
    values = (parameter.grad for parameter in model.parameters())
    return [value.full_tensor() if hasattr(value, "full_tensor") else value for value in values]


def training(model, x, labels):
    """A function that does so many steps of training."""
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)

    def train(steps):
        for _ in range(steps):
            optimizer.zero_grad(set_to_none=True)
            backward(model, x, labels)
            optimizer.step()
        torch.cuda.synchronize()

    return train


def rounds(train, steps=30, count=1):
    """The milliseconds of a step in each of `count` rounds, after five steps to warm up."""
    train(5)
    times = []
    for _ in range(count):
        torch.cuda.synchronize()
        start = time.perf_counter()
        train(steps)
        times.append(round((time.perf_counter() - start) / steps * 1e3, 3))
    return times


def milliseconds(model, x, labels):
    """The time of a step of training."""
    return rounds(training(model, x, labels))[0]


kinds = {"nccl": "NCCL", "catarray": "concatenations", "copy": "copies", "memcpy": "copies", "gemm": "matrix products",
         "cutlass": "matrix products", "nvjet": "matrix products", "xmma": "matrix products"}


def kind_of(name):
    """What a kernel of this name does: the names of Spio's begin with their family, others have a word of `kinds`."""
    for family in ("conv2d", "layernorm_2d"):
        if name.startswith(family + "_"):
            return f"Spio's {family}"
    return next((kind for word, kind in kinds.items() if word in name.lower()), "others")


def kernel_times(train, steps=3):
    """The milliseconds of a step that the kernels of each kind take on the GPU, and how many kernels there are."""
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        train(steps)
    times, count = {}, 0
    for event in trace.key_averages():
        if event.self_device_time_total > 0:
            kind = kind_of(event.key)
            times[kind] = times.get(kind, 0) + event.self_device_time_total / steps / 1e3
            count += event.count
    return {**{kind: round(value, 3) for kind, value in sorted(times.items())}, "kernels of a step": count // steps}


def measured(model, *data):
    """How a model trains: rounds of steps, and what the GPU does in one."""
    train = training(model, *data)
    return {"rounds": rounds(train, steps=10, count=3), "kernels": kernel_times(train)}


def sharded(model):
    """The model by FSDP2, each of its blocks apart."""
    for layer in model:
        if isinstance(layer, blocks.Residual):
            fully_shard(layer)
    return fully_shard(model)


def scaling(rank):
    """Milliseconds of a step of the large network: half the batch and the whole one on one GPU, and on two GPUs. With small images the
    GPU has little to do, and a step takes as long as the host needs to launch it.
    """
    all_images, own_images, small_images = batch(0, gpus * images, 64), batch(rank * images, images, 64), batch(rank * images, images, 8)
    times = {"half the batch on one GPU": measured(network(large), *own_images),
             "the whole batch on one GPU": measured(network(large), *all_images),
             "images of 8 x 8, half the batch on one GPU": measured(network(large), *small_images)}
    for name, wrap in wrappers(rank).items():
        distributed.barrier()
        model = wrap(network(large))
        times[f"the whole batch on two GPUs, {name}"] = measured(model, *own_images)
        distributed.barrier()
        times[f"images of 8 x 8, the whole batch on two GPUs, {name}"] = measured(model, *small_images)
    return times


def wrappers(rank):
    """The ways to train a model on several GPUs, by name."""
    return {"DDP": lambda model: DistributedDataParallel(model, device_ids=[rank]), "FSDP2": sharded}


def check_one_process():
    """Computes a layer on each GPU from one process, whose current GPU is the first, and in a stream of its own: the bits are equal."""
    torch.manual_seed(3)
    values = [torch.randn(shape).to(torch.float16) for shape in ((4, 64, 20, 20), (64, 8, 3, 3), (64,))]

    def results(device):
        x, weight, bias = (value.to(device).requires_grad_() for value in values)
        with spio.strict():
            y = spio.functional.conv2d(x, weight, bias, padding=1, groups=8)
        y.backward(torch.ones_like(y))
        torch.cuda.synchronize(device)
        return [value.detach().cpu() for value in (y, x.grad, weight.grad, bias.grad)]

    torch.use_deterministic_algorithms(True)  # no better kernel takes over meanwhile
    found = []
    for gpu in range(gpus):
        device = torch.device("cuda", gpu)
        found.append(results(device))
        assert torch.cuda.current_device() == 0
        with torch.cuda.stream(torch.cuda.Stream(device)):
            found.append(results(device))
    torch.use_deterministic_algorithms(False)
    assert all(torch.equal(*pair) for other in found[1:] for pair in zip(found[0], other)), "GPUs or streams differ"


def check_scan():
    """Scans a layer on the second GPU, whose time is that GPU's whether it is current or not."""
    layer = torch.nn.Conv2d(64, 64, 3, padding=1, groups=8, device="cuda:1", dtype=torch.float16)
    x = torch.randn(256, 64, 112, 112, device="cuda:1", dtype=torch.float16)

    def microseconds():
        (line,) = spio.scan(layer, x).layers[0].calls
        return float(re.search(r"now ([\d.]+) us", line)[1])

    with torch.cuda.device(1):
        expected = min(microseconds() for _ in range(3))
    found = min(microseconds() for _ in range(3))
    assert 0.8 * expected < found < 1.25 * expected, (found, expected)
    return {"layer on the second GPU, which is current, or is not: us": [expected, found]}


def train(rank, file):
    """The process of one GPU: compares gradients with those of one GPU, measures steps, and writes the file."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517", RANK=str(rank), WORLD_SIZE=str(gpus))
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl", device_id=torch.device("cuda", rank))
    reference = network(small)
    backward(reference, *batch(0, gpus * images))
    exact = gradients(reference)
    half = batch(rank * images, images)
    results = {"images of a GPU": images, "one GPU, half the batch: ms": milliseconds(network(small), *half),
               "one GPU, the whole batch: ms": milliseconds(network(small), *batch(0, gpus * images))}
    for name, wrap in wrappers(rank).items():
        model = wrap(network(small))
        backward(model, *half)
        errors = [((found - value).norm() / value.norm()).item() for found, value in zip(gradients(model), exact, strict=True)]
        # Weights that PyTorch's own layers have get gradients that were rounded to bfloat16 for each GPU.
        assert all(error < 2**-7 for error in errors), (name, errors)  # which a NaN is not
        results[name] = {"largest relative error of a gradient": max(errors), "whole batch on two GPUs: ms": milliseconds(model, *half)}
        distributed.barrier()
    results["the large network, images of 64 x 64: ms"] = scaling(rank)
    if rank == 0:
        with open(file, "w") as output:
            json.dump({"pytorch": torch.__version__, "gpu": torch.cuda.get_device_name(), **results}, output, indent=1)
        print(json.dumps(results, indent=1))
    distributed.destroy_process_group()


if __name__ == "__main__":
    if torch.cuda.device_count() < gpus:
        sys.exit(f"this needs {gpus} GPUs, and there are {torch.cuda.device_count()}")
    check_one_process()
    print(check_scan())
    torch.multiprocessing.spawn(train, (sys.argv[1],), nprocs=gpus)
