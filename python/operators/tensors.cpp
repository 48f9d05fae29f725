// Reads tensors of PyTorch through its stable interface, and makes new ones.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A family is the kernels of one operation, such as
// conv2d. A place is a stream of a GPU, or the host device.
#include "tensors.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <vector>

// PyTorch's settings, and what torch.use_deterministic_algorithms() has set. The stable interface
// does not tell it; these are PyTorch's own functions at::globalContext() and
// at::Context::deterministicAlgorithms(), which are null where PyTorch has them no more.
[[gnu::weak, gnu::visibility("default")]] void* global_context() __asm__("_ZN2at13globalContextEv");
[[gnu::weak, gnu::visibility("default")]] bool has_deterministic_algorithms(
    void const* context) __asm__("_ZNK2at7Context23deterministicAlgorithmsEv");

namespace spio::pytorch {

namespace {

// Distances of neighbours in memory, if the second dimension is contiguous.
std::array<std::int64_t, 4> strides_of(sizes_4d const& sizes) {
    auto const [n, c, h, w] = sizes;
    std::int64_t const row = std::int64_t(w) * c;
    return {h * row, 1, row, c};
}

// On the device of another tensor.
Tensor new_tensor(Tensor const& other, std::int64_t rank, std::int64_t const* sizes,
                  std::int64_t const* strides, ScalarType type) {
    std::int32_t device_type = 0, device_index = 0;
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_type(other.get(), &device_type));
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_index(other.get(), &device_index));
    auto const shim_type =
        torch::stable::detail::to<std::int32_t>(torch::stable::detail::from(type));
    AtenTensorHandle handle = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(rank, sizes, strides, shim_type,
                                                           device_type, device_index, &handle));
    return Tensor(handle);
}

// PyTorch's function for the current stream of a GPU, which builds without CUDA do not have: it is
// looked up in the library that the process has loaded, when this library is loaded too, since that
// takes longer than a call.
using stream_getter = AOTITorchError (*)(std::int32_t, void**);
stream_getter find_stream_getter() {
    for (auto const* name : {"libtorch_cuda.so", "libtorch_hip.so"}) {
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
            void* const symbol = dlsym(library, "aoti_torch_get_current_cuda_stream");
            dlclose(library);
            if (symbol != nullptr) return reinterpret_cast<stream_getter>(symbol);
        }
    }
    return nullptr;
}
stream_getter const current_stream = find_stream_getter();

// Kernels read and write vectors of 16 bytes.
bool is_aligned(Tensor const& tensor) {
    return reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % 16 == 0;
}

std::atomic<bool> host_is_used = false;

} // namespace

sizes_4d sizes_of(char const* family, char const* name, Tensor const& tensor) {
    if (tensor.dim() != 4)
        fail("spio::", family, ": ", name, " has ", tensor.dim(), " dimensions, but must have 4");
    auto const sizes = tensor.sizes();
    sizes_4d result = {};
    for (std::size_t i = 0; i < 4; ++i) {
        if (sizes[i] <= 0 || sizes[i] > INT_MAX)
            fail("spio::", family, ": dimension ", i, " of ", name, " has the size ", sizes[i]);
        result[i] = static_cast<int>(sizes[i]);
    }
    if (tensor.numel() > INT_MAX)
        fail("spio::", family, ": ", name, " has ", tensor.numel(), " elements, of at most ",
             INT_MAX);
    return result;
}

Tensor channels_last(Tensor const& tensor, sizes_4d const& sizes) {
    auto const expected = strides_of(sizes);
    auto const strides = tensor.strides();
    bool is_dense = true;
    for (std::size_t i = 0; i < 4; ++i) {
        is_dense = is_dense && (sizes[i] == 1 || strides[i] == expected[i]);
    }
    if (is_dense && is_aligned(tensor)) return tensor;
    auto copy = new_channels_last(tensor, sizes, tensor.scalar_type());
    return torch::stable::copy_(copy, tensor);
}

Tensor new_channels_last(Tensor const& other, sizes_4d const& sizes, ScalarType type) {
    std::array<std::int64_t, 4> numbers = {};
    std::ranges::copy(sizes, numbers.begin());
    return new_tensor(other, 4, numbers.data(), strides_of(sizes).data(), type);
}

bool has_no_images(Tensor const& images) { return images.dim() == 4 && images.size(0) == 0; }
Tensor image_for(Tensor const& images) {
    return torch::stable::new_zeros(images, {1, images.size(1), images.size(2), images.size(3)});
}
Tensor no_images(Tensor image) { return torch::stable::narrow(image, 0, 0, 0); }

Tensor new_dense(Tensor const& other, std::initializer_list<std::int64_t> sizes, ScalarType type) {
    std::vector<std::int64_t> strides(sizes.size());
    std::int64_t stride = 1;
    for (auto i = sizes.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= sizes.begin()[i];
    }
    return new_tensor(other, static_cast<std::int64_t>(sizes.size()), sizes.begin(), strides.data(),
                      type);
}

void check_bias(char const* family, std::optional<Tensor> const& bias, std::int64_t count,
                Tensor const& other) {
    if (!bias) return;
    if (bias->dim() != 1 || bias->size(0) != count)
        fail("spio::", family, ": the bias has ", bias->numel(), " elements in ", bias->dim(),
             " dimensions, but must have ", count, " in one");
    auto const type = bias->scalar_type();
    bool const is_double = type == ScalarType::Double && other.scalar_type() == type;
    if (type != ScalarType::Float && !is_double)
        fail("spio::", family, ": the bias must be floats, not ",
             torch::headeronly::toString(type));
    check_same_device(family, *bias, other);
}

stored_bias bias_of(char const* family, std::optional<Tensor> const& bias, int count,
                    Tensor const& other) {
    if (!bias) return {};
    check_bias(family, bias, count, other);
    auto const stored = [](Tensor const& tensor) -> stored_bias {
        return {tensor, static_cast<float const*>(tensor.const_data_ptr())};
    };
    if (bias->is_contiguous() && is_aligned(*bias)) return stored(*bias);
    auto copy = new_dense(*bias, {count}, ScalarType::Float);
    return stored(torch::stable::copy_(copy, *bias));
}

void check_same_device(char const* family, Tensor const& tensor, Tensor const& other) {
    bool const agrees = tensor.is_cuda() == other.is_cuda() &&
                        tensor.get_device_index() == other.get_device_index();
    if (!agrees)
        fail("spio::", family, ": tensors are on two devices, ", tensor.is_cuda() ? "GPU " : "CPU ",
             tensor.get_device_index(), " and ", other.is_cuda() ? "GPU " : "CPU ",
             other.get_device_index());
}

void check_process(Tensor const& tensor) {
    if (is_without_gpus_of_parent() && tensor.is_cuda())
        fail("spio: this process was forked after its parent had opened a GPU, which works in "
             "the parent alone: start processes by spawn");
}

place place_of(Tensor const& tensor) {
    if (!tensor.is_cuda()) return {.gpu = host_device};
    if (current_stream == nullptr) fail("spio: this PyTorch has no CUDA");
    int const gpu = tensor.get_device_index();
    void* stream = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(current_stream(gpu, &stream));
    return {.gpu = gpu, .stream = stream, .keeps_kernels = is_deterministic()};
}

bool is_deterministic() {
    return global_context == nullptr || has_deterministic_algorithms == nullptr ||
           has_deterministic_algorithms(global_context());
}

bool uses_host_device() { return host_is_used.load(std::memory_order_relaxed); }
void use_host_device(bool is_used) { host_is_used = is_used; }

} // namespace spio::pytorch
