// Kernels compiled at run time: NVRTC, and the text that it compiles.
// SPDX-License-Identifier: Apache-2.0
export module spio.jit;

export import spio.error;

export import :just_in_time;
export import :nvrtc;
