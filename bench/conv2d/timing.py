# Times work on the GPU in graphs, with the L2 cache cold or hot.
# SPDX-License-Identifier: Apache-2.0
#
# A launch that finds its input in the L2 cache is faster than in a network, where other layers have filled
# it: so each launch of a graph takes another set of buffers.
import statistics

import torch

CACHE_BYTES = 60 << 20  # at least the L2 cache of any GPU to be measured


def sets_for(bytes_of_one):
    """How many sets of buffers it takes that none is in the cache when its turn comes again."""
    return max(2, -(-4 * CACHE_BYTES // bytes_of_one) + 1)


def microseconds(work, sets, launches=24, replays=9):
    """The median time of work(set, stream), which takes the sets of buffers in turn."""
    stream = torch.cuda.Stream()
    # What fills the buffers is on another stream.
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for number in range(min(sets, 3)):
            work(number, stream.cuda_stream)
        torch.cuda.synchronize()
        launches = max(launches, sets)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for number in range(launches):
                work(number % sets, torch.cuda.current_stream().cuda_stream)
        graph.replay()
        torch.cuda.synchronize()
        times = []
        for _ in range(replays):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record(stream)
            graph.replay()
            end.record(stream)
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1000 / launches)
    return statistics.median(times)
