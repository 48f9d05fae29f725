// Kernels compiled at run time: NVRTC, and the text that it compiles.
// SPDX-License-Identifier: Apache-2.0
export module spio.jit;

export import spio.error;

export import :build_id;
export import :just_in_time;
export import :kernel_text;
export import :nvrtc;
export import :trust;
