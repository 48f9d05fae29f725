// From specifications to work on a device: images found, kernels loaded, launched on streams.
// SPDX-License-Identifier: Apache-2.0
//
//     spio::device const gpu = spio::gpu_device(driver, 0);
//     spio::images const images(pack, compiler);
//     spio::kernels const kernels(gpu);
//     spio::stream const stream(gpu);
//     auto const axpby = kernels.load(images.find(axpby::specialize({.n = n}, gpu.arch())));
//     stream.launch(axpby, {.a = a, .x = x.as<axpby::scalars>(axpby::N(n)), …});
export module spio.launch;

export import :backend;
export import :policy;
export import :log;
export import :images;
export import :device;
export import :array;
export import :capture;
export import :kernels;
export import :stream;
