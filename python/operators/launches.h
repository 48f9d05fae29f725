// Launches of Spio's kernels on tensors that PyTorch owns, as plain values.
// SPDX-License-Identifier: Apache-2.0
//
// This is a header, so that the source with PyTorch's headers imports no module. The host device
// simulates a GPU on the CPU. A workspace is memory for the partial sums of a gradient. All
// addresses are on the place's device; on the host device they are the CPU's.
#pragma once

#include <cstddef>
#include <string>

namespace spio::pytorch {

// Where kernels run: in a stream of a GPU's primary context, or on the host device, where calls
// return when the work is done.
struct place {
    int gpu;
    void* stream = nullptr;
    bool keeps_kernels = false; // a layer that began with a generic kernel keeps it
};
inline constexpr int host_device = -1;
inline constexpr int most_gpus = 64;

// The types of elements; those of a bias are floats.
enum class element { fp16, bf16, fp32 };

// How a filter goes over an image. Stride: the inputs from one output to the next, 1 or 2. Padding:
// the zeros on each side. Dilation: the inputs from one tap to the next, 1 or 2.
struct window {
    int stride_h = 1, stride_w = 1;
    int pad_h = 0, pad_w = 0;
    int dilation_h = 1, dilation_w = 1;
};
// A convolution of groups of 8 channels. Images are n h w c, filters c r s 8.
struct conv2d_sizes {
    int n, c, h, w;
    int r, s;
    pytorch::window window = {};
    element type = element::fp16;
};

// y from x, the filter and, unless it is null, the bias.
void conv2d(place const&, conv2d_sizes const&, void const* x, void const* filter, float const* bias,
            void* y);
// The gradient of x.
void conv2d_input_gradient(place const&, conv2d_sizes const&, void const* dy, void const* filter,
                           void* dx);

// The time that the kernels of a pass, fprop, dgrad or wgrad, are estimated to take on an
// architecture such as sm_90a, in microseconds.
double conv2d_microseconds(conv2d_sizes const&, bool has_bias, std::string const& pass,
                           std::string const& arch);

// The architecture of a GPU as a number: 90 for sm_90a. Opens the GPU, as its first launch would.
int architecture(place const&);

// Whether this process was forked after its parent had opened a GPU, which works in the parent
// alone.
bool is_without_gpus_of_parent() noexcept;

// The generic kernels in the library, which serve every layer with the same filter: how many for
// each architecture, as "84 for sm_90a, 88 for compute_80"; empty if there are none.
std::string generic_kernels();

// Ends compilations in the background: what has begun is waited for, and later ones are dropped.
// To be called when the process ends, before NVRTC is destroyed with it.
void end_compilations();

// Waits until the kernels that compilations in the background have begun or still have to compile
// are there, on all devices; the next launch of each problem takes its own.
void finish_compilations();

// The problems of all devices: how many began with a generic kernel, and how many of them have no
// better one; the better kernels that were found or compiled, those that took over, and those that
// failed.
struct problem_counts {
    long long begun = 0, unchanged = 0, compiled = 0, taken = 0, failed = 0;
};
problem_counts count_problems();

// The folder of the compiled kernels, which is made if it is missing, and why nothing can be kept
// there, empty if it can.
struct kept_kernels {
    std::string folder, refusal;
};
kept_kernels cache_folder();

// The gradients of the filter, in floats or in elements of the type of x, and of the bias.
struct weight_gradient_request {
    conv2d_sizes sizes;
    bool has_float_result = true;
    bool has_bias = false;
};
// The floats of memory that the kernels of this gradient share.
std::size_t workspace_floats(place const&, weight_gradient_request const&);
// The tensors of a weight gradient: dw and, if there is a bias, dbias are computed from x and dy.
struct weight_gradient_memory {
    void const *x, *dy;
    void* dw;
    float* dbias;
    float* workspace;
    std::size_t workspace_floats;
};
void conv2d_weight_gradient(place const&, weight_gradient_request const&,
                            weight_gradient_memory const&);

// y is x, normalized over the channels of each position, times the weight plus the bias, which are
// both null or both not.
struct layernorm_2d_request {
    int positions, channels;
    float epsilon;
    element type = element::fp16;
};
void layernorm_2d(place const&, layernorm_2d_request const&, void const* x, float const* weight,
                  float const* bias, void* y);

// D = activation(A B + bias) + C. A matrix lies by rows or by columns; `leading` is the distance of
// its lines, `batch` that of neighbouring matrices, in elements.
enum class activation { none, relu, silu, gelu };
struct matrix {
    void* data = nullptr;
    long long leading = 0, batch = 0;
    bool is_by_rows = true;
};
struct matmul_request {
    int m, n, k, batch;
    element type, result;
    pytorch::activation activation = activation::none;
};
void matmul(place const&, matmul_request const&, matrix const& a, matrix const& b,
            float const* bias, matrix const& residual, matrix const& result);

} // namespace spio::pytorch
