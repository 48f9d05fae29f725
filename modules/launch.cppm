// From specifications to work on a device: images found, kernels loaded, launched on streams.
// SPDX-License-Identifier: Apache-2.0
//
//     spio::device const gpu = spio::gpu_device(driver, 0);
//     spio::images const images(pack, compiler);
//     spio::kernels const kernels(gpu);
//     spio::stream const stream(gpu);
//     auto const spec = axpby::specialize({.n = n}, config, gpu.arch());
//     auto const axpby = kernels.load(images.find(spec));
//     stream.launch(axpby, spec.over(axpby::grid(config, n)), {.a = a, .x = x, …});
export module spio.launch;

export import :backend;
export import :policy;
export import :images;
export import :device;
