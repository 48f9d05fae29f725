// The CUDA driver, found at run time: devices, contexts, streams, memory, kernels and their launch.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing of CUDA is needed to build this or to load it. An owner is a noun and gives back what it
// has when it ends; a borrower is a *_ref. What cannot be done is a spio::error. All calls
// may come from any thread and leave the caller's current context as they found it.
//
//     spio::cuda::driver const driver;
//     auto const gpu = driver.device(0);
//     spio::cuda::context const context(gpu);
//     spio::cuda::library const library(driver, image, "axpby");
//     auto const axpby = library.kernel("axpby_256x4").load(context);
//     spio::cuda::stream const stream(context);
//     launch(axpby, {.grid = {80}, .block = {256}}, stream, parameters);
export module spio.cuda;

export import spio.error;

export import :entries;
export import :driver;
export import :device;
export import :stream;
export import :graph;
export import :memory;
export import :kernel;
export import :tensor_map;
