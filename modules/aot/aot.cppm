// Kernels built before the program: manifests that list them, and packs that hold their images.
// SPDX-License-Identifier: Apache-2.0
export module spio.aot;

export import :manifest;
export import :pack;
export import :compiler;
export import :build;
export import :host;
export import :staleness;
export import :packer;
