// Times each step from a new layer to its first result, and each function of the driver in it.
// SPDX-License-Identifier: Apache-2.0
//
// A generic kernel serves every layer with the same filter; a pack is a file of compiled kernels, a
// spec what a kernel is compiled from. fprop is the forward pass, dgrad computes the gradient of
// the input, wgrad that of the filter. It prints lines of JSON, times in microseconds. A manifest
// lists the kernels of a pack, a problem a line.
//
//     bench_first_layer PACK            a process that has a context already, as PyTorch's has
//     bench_first_layer PACK host       what needs no driver
//     bench_first_layer MANIFEST write  writes such a pack, without code, to the standard output
#include "conv2d/problem.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>

import spio.aot;
import spio.conv2d;
import spio.conv2d.launch;
import spio.cuda;
import spio.image;
import spio.launch;
import spio.runtime;
import spio.spec;
import spio.text;

using namespace spio;

namespace {

using clock_type = std::chrono::steady_clock;

double microseconds_since(clock_type::time_point start) {
    return std::chrono::duration<double, std::micro>(clock_type::now() - start).count();
}

// Runs f and prints what it took.
template <class F> decltype(auto) timed(char const* step, F f) {
    struct printer {
        char const* step;
        clock_type::time_point start = clock_type::now();
        ~printer() {
            std::printf("{\"step\": \"%s\", \"us\": %.1f}\n", step, microseconds_since(start));
        }
    } const end{step};
    return f();
}

// The driver's functions, with the number and the time of their calls. Arguments are integers and
// addresses, so that one signature with more of them than any function has passes all.
struct driver_call {
    std::string name;
    void* function = nullptr;
    unsigned long count = 0;
    double microseconds = 0;
};
constexpr std::size_t most_calls = 128;
std::array<driver_call, most_calls> calls;
std::size_t call_count = 0;

using word = std::uint64_t;
using any_function = unsigned(word, word, word, word, word, word, word, word, word, word, word,
                              word);
// Calls function number I with its arguments, and counts the call.
template <std::size_t I>
unsigned counted(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j,
                 word k, word l) {
    auto& call = calls[I];
    auto const start = clock_type::now();
    auto const result =
        reinterpret_cast<any_function*>(call.function)(a, b, c, d, e, f, g, h, i, j, k, l);
    ++call.count;
    call.microseconds += microseconds_since(start);
    return result;
}
// One such function for each that the driver may have.
template <std::size_t... Is> auto counters(std::index_sequence<Is...>) {
    return std::array{&counted<Is>...};
}

// The driver's function that finds its functions, and one in its place that finds counted ones.
cuda::abi::get_proc_address* driver_find = nullptr;
cuda::abi::result find_counted(char const* name, void** function, int version, std::uint64_t flags,
                               cuda::abi::address_query* found) {
    static auto const functions = counters(std::make_index_sequence<most_calls>());
    auto const result = driver_find(name, function, version, flags, found);
    // Texts of errors are asked for by their address.
    if (*function == nullptr || call_count == most_calls) return result;
    calls[call_count] = {name, *function};
    *function = reinterpret_cast<void*>(functions[call_count++]);
    return result;
}
// Prints the calls of the driver since the last time, and forgets them.
void print_calls(char const* step) {
    for (std::size_t i = 0; i < call_count; ++i) {
        auto& call = calls[i];
        if (call.count == 0) continue;
        std::printf("{\"step\": \"%s\", \"call\": \"%s\", \"count\": %lu, \"us\": %.1f}\n", step,
                    call.name.c_str(), call.count, call.microseconds);
        call.count = 0, call.microseconds = 0;
    }
}

std::vector<std::byte> bytes_of(char const* file) {
    std::ifstream stream(file, std::ios::binary);
    std::string const text(std::istreambuf_iterator<char>(stream), {});
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// A small layer for any number of images, so that its kernels take little time.
conv2d::problem layer_of(conv2d::direction pass, int taps) {
    conv2d::problem layer;
    layer.n = 4, layer.c = 40, layer.h = layer.w = 24, layer.r = layer.s = taps;
    layer.pad_h = layer.pad_w = taps / 2;
    layer.pass = pass;
    layer.made_for = conv2d::known_sizes::any_n;
    return layer;
}

// Times all steps with the generic kernels of the pack, each pass and filter alone.
void measure_on_gpu(std::vector<std::byte> const& file) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) throw std::runtime_error("no driver");
    driver_find =
        reinterpret_cast<cuda::abi::get_proc_address*>(dlsym(library, "cuGetProcAddress_v2"));
    cuda::driver const first;
    cuda::context const context(first.device(0));
    cuda::stream const own(context);
    cuda::memory const memory(context, 64 << 20);
    std::vector<std::byte> const zeros(1 << 20);
    cuda::copy(own, cuda::memory_ref(memory).part(0, zeros.size()), zeros);
    own.synchronize();

    cuda::driver const driver = timed("driver", [] { return cuda::driver(find_counted); });
    print_calls("driver");
    auto const pack = timed("pack", [&] { return aot::pack::linked(file, "generic"); });
    auto const gpu =
        timed("runtime", [&] { return runtime({.generic_images = pack, .driver = &driver}); });
    print_calls("runtime");
    stream const queue = timed(
        "stream", [&] { return stream(gpu.target_device(), cuda::stream_ref(own).handle()); });
    print_calls("stream");
    auto const tensor = [&](int mebibytes) {
        return reinterpret_cast<half*>(memory.address() + (std::size_t(mebibytes) << 20));
    };
    using namespace conv2d;
    // Twice 3 x 3: the first layer of a process pays for what is done once.
    for (int const taps : {3, 3, 5, 7, 1}) {
        std::string const of_filter = " " + std::to_string(taps);
        auto const name = [&](char const* step) { return step + of_filter; };
        for (auto const pass : {direction::fprop, direction::dgrad}) {
            auto const layer = layer_of(pass, taps);
            auto const step = name(pass == direction::fprop ? "fprop" : "dgrad");
            auto const kernel =
                timed((step + " load").c_str(), [&] { return convolution(gpu, layer); });
            print_calls((step + " load").c_str());
            timed((step + " launch").c_str(), [&] {
                kernel.launch(queue,
                              {.input = input_of<half const>(tensor(0), N(4), H(24), W(24), C(40)),
                               .filter = filter_of<half const>(tensor(16), K(40), R(taps), S(taps)),
                               .output = output_of<half>(tensor(32), N(4), P(24), Q(24), K(40))});
            });
            timed((step + " synchronize").c_str(), [&] { queue.synchronize(); });
            print_calls((step + " launch").c_str());
        }
        auto const step = name("wgrad");
        auto const layer = layer_of(direction::wgrad, taps);
        timed((step + " load").c_str(), [&] { return weight_gradient(gpu, layer); });
        print_calls((step + " load").c_str());
    }
}

// A pack of the kernels of a manifest for five architectures, without their code.
std::vector<std::byte> empty_pack(std::string const& manifest) {
    std::vector<aot::image_to_pack> images;
    for (auto const& arch : {sm_80, sm_86, sm_89, sm_90a, compute_80}) {
        for (auto const& spec :
             aot::specs_of(manifest, /*name=*/"", std::array{conv2d::family_entry()}, arch)) {
            images.push_back({.kernel = spec,
                              .kind = image_kind::fatbin,
                              .bytes = std::vector<std::byte>(8000),
                              .compiler = "nvcc 13.0.88",
                              .text_digest = text_digest_of(spec),
                              .library_digest = library_digest_of(spec)});
        }
    }
    return aot::write_pack(images);
}

// What needs no driver, first and again.
void measure_on_host(std::vector<std::byte> const& file) {
    for (int round = 0; round < 2; ++round) {
        auto const pack = timed("pack", [&] { return aot::pack::linked(file, "generic"); });
        auto const specs = timed("specialize", [&] {
            auto const generic = conv2d::generic_problem(layer_of(conv2d::direction::fprop, 3));
            return conv2d::specs_of(generic, conv2d::generic_configs(generic, sm_90a).front(),
                                    sm_90a);
        });
        auto const found = timed("find", [&] { return pack.find(specs.front()); });
        timed("pack that is checked", [&] { return aot::pack(file, "generic", /*keeper=*/{}); });
        timed("digest of the text", [&] { return text_digest_of(specs.front()); });
        std::printf("{\"images\": %zu, \"pack_bytes\": %zu, \"image_bytes\": %zu}\n",
                    pack.list().size(), file.size(), found ? found->bytes.size() : 0);
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "usage: bench_first_layer FILE [host|write]\n"), 2;
    try {
        auto const file = bytes_of(argv[1]);
        std::string_view const action = argc > 2 ? argv[2] : "";
        if (action == "host") return measure_on_host(file), 0;
        if (action != "write") return measure_on_gpu(file), 0;
        auto const* const text = reinterpret_cast<char const*>(file.data());
        auto const pack = empty_pack({text, file.size()});
        return std::fwrite(pack.data(), 1, pack.size(), stdout) == pack.size() ? 0 : 1;
    } catch (std::exception const& e) {
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
}
